"""Verifies what a webhook endpoint receives, by the Standard Webhooks specification."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from .operations import EVENTS, WebhookEvent

_TOLERANCE_SECONDS = 300


class WebhookVerificationError(Exception):
    """The service did not sign this request, or more than five minutes ago."""


def verify_webhook(body: str | bytes, headers: Mapping[str, str], secret: str) -> WebhookEvent | dict[str, Any]:
    """The event that an endpoint received, once its signature is verified; a dict for a type that is not known here.

    `body` is the request's body as it arrived, `secret` that of the endpoint, `whsec_…`.
    """
    names = {name.lower(): value for name, value in headers.items()}
    identifier, sent_at, signatures = (names.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    payload = body.encode() if isinstance(body, str) else body
    try:
        age = abs(time.time() - int(sent_at))
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (ValueError, binascii.Error) as error:
        raise WebhookVerificationError("The time stamp or the secret cannot be read.") from error
    if age > _TOLERANCE_SECONDS:
        raise WebhookVerificationError("The request is older than five minutes.")
    digest = hmac.new(key, f"{identifier}.{sent_at}.".encode() + payload, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    if not any(hmac.compare_digest(expected, one.encode()) for one in signatures.split()):
        raise WebhookVerificationError("No signature of the request is right.")
    event: dict[str, Any] = json.loads(payload)
    from_dict = EVENTS.get(event.get("type", ""))
    return from_dict(event) if from_dict else event
