"""A certificate authority of one's own, thrown away with its folder."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LIFETIME = dt.timedelta(days=1)


class Authority:
    """Signs certificates for servers on this machine."""

    def __init__(self, folder: Path, name: str = "an authority for tests") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._build(self._name, self._key, ca=True)
        #: The authority's own certificate.
        self.file = folder / "authority.pem"
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def server_context(self, *, name: str = "127.0.0.1") -> ssl.SSLContext:
        """For a server under this name, or address."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._build(subject, key, ca=False, host=name)
        chain = self._folder / f"{name}.pem"
        chain.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context

    def _build(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, ca: bool, host: str = ""
    ) -> x509.Certificate:
        now = dt.datetime.now(dt.UTC)
        identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - LIFETIME)
            .not_valid_after(now + LIFETIME)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(identifier, critical=False)
            .add_extension(issuer, critical=False)
        )
        if host:
            try:
                name: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
            except ValueError:
                name = x509.DNSName(host)
            builder = builder.add_extension(x509.SubjectAlternativeName([name]), critical=False)
        return builder.sign(self._key, hashes.SHA256())
