// @ts-check
/** Passkeys: asks the server what to do, the browser to do it, and tells the server what came of it. */

const button = /** @type {HTMLButtonElement | null} */ (document.getElementById("passkey"));

/** @param {string} words */
function say(words) {
  const place = document.getElementById("fault");
  if (place) place.textContent = words;
}

/**
 * @param {string} text base64url
 * @returns {Uint8Array<ArrayBuffer>}
 */
function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (mark) => mark.charCodeAt(0));
}

/** @param {ArrayBuffer | null} data */
function text(data) {
  if (!data) return null;
  const plain = String.fromCharCode(...new Uint8Array(data));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {any} options as the server's JSON has them */
function asked(options) {
  const ids = (/** @type {any[]} */ list) => (list ?? []).map((one) => ({ ...one, id: bytes(one.id) }));
  const made = { ...options, challenge: bytes(options.challenge) };
  if (options.user) made.user = { ...options.user, id: bytes(options.user.id) };
  if (options.excludeCredentials) made.excludeCredentials = ids(options.excludeCredentials);
  if (options.allowCredentials) made.allowCredentials = ids(options.allowCredentials);
  return made;
}

/** @param {any} credential */
function told(credential) {
  const { response } = credential;
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    response: {
      clientDataJSON: text(response.clientDataJSON),
      attestationObject: text(response.attestationObject ?? null),
      authenticatorData: text(response.authenticatorData ?? null),
      signature: text(response.signature ?? null),
      userHandle: text(response.userHandle ?? null),
      transports: response.getTransports?.() ?? [],
    },
  };
}

/**
 * @param {string} address
 * @param {unknown} body
 */
async function post(address, body) {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw new Error(problem.detail ?? "That did not work. Try again.");
}

async function run() {
  if (!button) return;
  const { ask = "", tell = "", make, name = "" } = button.dataset;
  button.disabled = true;
  say("");
  try {
    const publicKey = asked(await (await post(ask, {})).json());
    const credential =
      make === undefined ? await navigator.credentials.get({ publicKey }) : await navigator.credentials.create({ publicKey });
    const field = document.getElementById("passkey-name");
    const called = field instanceof HTMLInputElement ? field.value : name;
    const answer = await post(tell, { ...told(credential), name: called });
    location.assign(answer.headers.get("x-conch-go") ?? location.href);
  } catch (fault) {
    const cancelled = fault instanceof DOMException;
    say(cancelled ? "No passkey was used. Try again, or choose another way." : /** @type {Error} */ (fault).message);
  } finally {
    button.disabled = false;
  }
}

if (button && "PublicKeyCredential" in window) {
  button.hidden = false;
  button.addEventListener("click", run);
}
