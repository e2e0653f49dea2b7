"""Passkeys in a real browser with an authenticator of its own: made at the first visit, used, and copied by nobody."""

import shutil
from pathlib import Path

import pytest
from playwright.async_api import CDPSession, Page, async_playwright, expect

from tests.conch.programs import conch
from tests.web.console_tabs import FLAGS, SECONDS

pytestmark = pytest.mark.browser

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


async def sign_out(page: Page, address: str) -> None:
    await page.goto(f"{address}/devices")
    await page.get_by_role("button", name="Sign out here").click()
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


async def set_back(client: CDPSession, authenticator: str) -> None:
    """The authenticator is an older copy of itself: it counts from the beginning."""
    [known] = (await client.send("WebAuthn.getCredentials", {"authenticatorId": authenticator}))["credentials"]
    named = {"authenticatorId": authenticator, "credentialId": known["credentialId"]}
    await client.send("WebAuthn.removeCredential", named)
    await client.send(
        "WebAuthn.addCredential", {"authenticatorId": authenticator, "credential": {**known, "signCount": 0}}
    )


@pytest.mark.timeout(120)
async def test_a_passkey_lets_in_and_a_copy_of_it_does_not(tmp_path: Path) -> None:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    async with conch(tmp_path, "serve", "--port", "0") as server, async_playwright() as playwright:
        link = await server.started()
        address = link.partition("/?")[0]
        browser = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = await browser.new_page()
        page.set_default_timeout(SECONDS)
        client = await page.context.new_cdp_session(page)
        await client.send("WebAuthn.enable")
        made = await client.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})

        await page.goto(link)
        await page.get_by_role("button", name="Make a passkey").click()
        await expect(
            page.get_by_role("heading", name="Channels").or_(page.get_by_text("chat app")).first
        ).to_be_visible()
        await sign_out(page, address)
        await page.goto(f"{address}/people")
        await page.get_by_role("button", name="Use a passkey").click()
        await page.wait_for_url(f"{address}/people")
        await page.goto(f"{address}/devices")
        await expect(page.get_by_text("last used").first).to_be_visible()

        await sign_out(page, address)
        await set_back(client, made["authenticatorId"])
        await page.get_by_role("button", name="Use a passkey").click()
        await expect(page.get_by_role("alert")).to_contain_text("That passkey is none of yours here")
        await browser.close()
        await server.ends()
