"""What the binary renderers share: the same content gives the same bytes."""

import io
import zipfile

#: The oldest time that a zip file can carry.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def timeless_zip(content: bytes) -> bytes:
    """A zip file (docx, xlsx) with the time of every member set to one moment."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(zipfile.ZipInfo(name, ZIP_TIME), source.read(name), zipfile.ZIP_DEFLATED)
    return out.getvalue()
