"""Files that appear complete or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

REASONS = {
    errno.ENOENT: 'there is no folder "{folder}"',
    errno.ENOTDIR: '"{folder}" is not a folder',
    errno.EISDIR: "that is a folder",
    errno.EACCES: 'writing in "{folder}" is not permitted',
    errno.EPERM: 'writing in "{folder}" is not permitted',
    errno.EROFS: '"{folder}" can only be read',
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "it grew larger than files may be here",
    errno.ENAMETOOLONG: "the name is too long",
}

_HIDDEN = ".impulse-{process}-{tag}.part"


def cannot_write(path: str | os.PathLike[str], error: OSError) -> str:
    """Why a file could not be written, in one sentence."""
    reason = REASONS.get(error.errno or 0) or error.strerror or str(error)
    return f'Cannot write "{path}": {reason.format(folder=Path(path).absolute().parent)}.'


class Draft:
    """A file without a name until `publish`, so that nobody ever sees half of it.

    On Linux it has no entry in its folder at all (O_TMPFILE) and goes with its process, even a killed
    one; where the file system cannot do that it is a hidden file beside the final name. Write to
    `path`. As a context it publishes on success and discards on any exception.
    """

    def __init__(self, final: str | os.PathLike[str]) -> None:
        self.final = Path(os.path.realpath(final))
        if self.final.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(final))
        self._hidden = self.final.parent / _HIDDEN.format(process=os.getpid(), tag=secrets.token_hex(4))
        self._nameless = _open_nameless(self.final.parent)
        if self._nameless is None:
            self._hidden.touch(exist_ok=False)
        self.path = str(self._hidden) if self._nameless is None else f"/proc/self/fd/{self._nameless}"

    def publish(self) -> None:
        """Give the complete file its name, in place of an older one."""
        if self._nameless is not None:
            # With src_dir_fd Python calls linkat and follows the /proc link to the file itself.
            os.link(self.path, self._hidden, src_dir_fd=self._nameless, follow_symlinks=True)
        os.replace(self._hidden, self.final)
        self._close()

    def discard(self) -> None:
        """Leave no trace; does nothing after `publish`."""
        self._hidden.unlink(missing_ok=True)
        self._close()

    def _close(self) -> None:
        if self._nameless is not None:
            os.close(self._nameless)
            self._nameless = None

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.publish()
        finally:
            self.discard()


def discard_drafts(final: str | os.PathLike[str], process: int) -> None:
    """Remove what a killed process left hidden beside `final`."""
    for left in Path(os.path.realpath(final)).parent.glob(_HIDDEN.format(process=process, tag="*")):
        left.unlink(missing_ok=True)


def _open_nameless(folder: Path) -> int | None:
    """A descriptor of a new file in `folder` that has no name, or None where there is no such thing."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            return None
        raise
