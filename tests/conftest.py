"""What all tests share."""

from hypothesis import settings

from tests.e2e.languages import built

__all__ = ["built"]

# No example may fail by how busy the machine is.
settings.register_profile("referee", deadline=None)
settings.load_profile("referee")
