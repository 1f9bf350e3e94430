"""Amounts of money in capital Chinese numerals, as banks and contracts in China want them.

Source: People's Bank of China, 《支付结算办法》 (银发〔1997〕393号), annex 1
《正确填写票据和结算凭证的基本规定》, items 1 to 4. Where it allows to write 零 or leave it out (item 4.3), it is
written once; 整 stands after 元 only, as in its examples.
"""

from decimal import ROUND_HALF_UP, Decimal

DIGITS = "零壹贰叁肆伍陆柒捌玖"
PLACES = ("", "拾", "佰", "仟")
GROUPS = ("", "万", "亿", "万亿")
#: Sixteen whole digits: what the group names above can say.
LARGEST = Decimal(10) ** 16
FEN = Decimal("0.01")


def yuan_in_words(amount: Decimal) -> str:
    """An amount of CNY in words with its 人民币, rounded half up to the fen.

    Raises:
        ValueError: negative, not finite, or 10**16 and more.
    """
    if not amount.is_finite() or amount < 0 or amount >= LARGEST:
        raise ValueError(f"{amount} cannot be written in words")
    rounded = amount.quantize(FEN, rounding=ROUND_HALF_UP)
    yuan, fen = divmod(int(rounded * 100), 100)
    return f"人民币{_yuan(yuan)}{_jiao_fen(yuan, fen)}"


def _yuan(yuan: int) -> str:
    return f"{_whole(yuan)}元" if yuan else ""


def _jiao_fen(yuan: int, cents: int) -> str:
    jiao, fen = divmod(cents, 10)
    if not cents:
        return "整" if yuan else "零元整"
    words = f"{DIGITS[jiao]}角" if jiao else ""
    # Item 4.3 and 4.4: a 零 joins the yuan to what follows when the jiao or the last digit of the yuan is 0.
    if yuan and (not jiao or yuan % 10 == 0):
        words = f"零{words}"
    return f"{words}{DIGITS[fen]}分" if fen else words


def _whole(number: int) -> str:
    """A positive whole number: digits with their places, runs of 0 as one 零, none at the end."""
    words, pending_zero = "", False
    for group in range(len(GROUPS) - 1, -1, -1):
        value = number // 10 ** (4 * group) % 10_000
        if not value:
            pending_zero = bool(words)
            continue
        if words and (pending_zero or value < 1_000):
            words += "零"
        words += _group(value) + _group_name(group, number)
        pending_zero = value % 10 == 0
    return words


def _group_name(group: int, number: int) -> str:
    """The name of a group of four digits; 万亿 is 万 where 亿 follows with digits of its own."""
    if group == 3 and number // 10**8 % 10_000:
        return "万"
    return GROUPS[group]


def _group(value: int) -> str:
    words, pending_zero = "", False
    for place in range(3, -1, -1):
        digit = value // 10**place % 10
        if not digit:
            pending_zero = bool(words)
            continue
        words += ("零" if pending_zero else "") + DIGITS[digit] + PLACES[place]
        pending_zero = False
    return words
