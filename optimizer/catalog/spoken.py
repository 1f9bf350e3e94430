"""What sellers and countries are called in place of the names that the catalog has: for suggestions only."""

COUNTRIES: dict[str, str] = {
    "中国": "CN",
    "CHINA": "CN",
    "中国香港": "HK",
    "香港": "HK",
    "美国": "US",
    "USA": "US",
    "日本": "JP",
    "新加坡": "SG",
    "德国": "DE",
}
PROVIDERS: dict[str, str] = {
    "阿里云": "alibaba",
    "ALIYUN": "alibaba",
    "腾讯云": "tencent",
    "华为云": "huawei",
    "火山引擎": "volcengine",
    "百度云": "baidu",
    "百度智能云": "baidu",
    "天翼云": "ctyun",
    "亚马逊云": "aws",
    "亚马逊云科技": "aws",
    "AMAZON": "aws",
    "微软云": "azure",
    "谷歌云": "gcp",
    "GOOGLE": "gcp",
    "甲骨文云": "oci",
    "ORACLE": "oci",
}
