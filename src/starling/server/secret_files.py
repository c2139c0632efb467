"""The files of secrets that server.toml names: a certificate's private key, and a provider's secret; read without what serves."""

import ssl
import stat

from starling.server.settings import Oidc, Settings, refused_setting


def check_tls(settings: Settings) -> None:
    """Raises PlanError where the certificate and its private key cannot be used."""
    if settings.certificate is None or settings.private_key is None:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.certificate, settings.private_key)
    except (OSError, ssl.SSLError):
        fix = "give a certificate with its private key, both in PEM, readable by the server"
        raise refused_setting("certificate", "cannot be used for TLS", fix) from None


def secret_of(oidc: Oidc) -> str:
    """The secret of this server at the provider; raises PlanError where its file cannot be read, is open to others, or holds no secret."""
    file = oidc.client_secret
    try:
        with file.open("rb") as opened:
            mode = file.stat().st_mode
            secret = opened.read(4096).strip()
    except OSError:
        raise refused_setting("oidc.client_secret", "cannot be read", "name a file with the secret") from None
    if not stat.S_ISREG(mode) or mode & 0o077:
        fix = f"close it: chmod 600 {file}"
        raise refused_setting("oidc.client_secret", "is open to other users of this machine", fix)
    if not secret or not secret.isascii() or not secret.decode().isprintable():
        raise refused_setting("oidc.client_secret", "holds no secret", "write it there, as the provider shows it")
    return secret.decode()
