"""The client of a server: the same releases as in the library, charged and made elsewhere, verified where they arrive."""

from starling.client.asking import Client
from starling.client.replies import Budget, Dataset, Preview, Progress, Request

__all__ = ["Budget", "Client", "Dataset", "Preview", "Progress", "Request"]
