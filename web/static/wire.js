// How the page talks to Conch: small JSON calls, and one stream of what happens on the screens.

/** What a call that was not done says, in words for people. */
export class Refusal extends Error {
  /** @param {string} detail @param {number} status */
  constructor(detail, status) {
    super(detail);
    this.status = status;
  }
}

/** @param {string} path @param {object} [body] */
export async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  return answer(await fetch(path, { ...options, credentials: "same-origin" }));
}

/** @param {string} path @param {File} file */
export async function upload(path, file) {
  return answer(await fetch(path, { method: "POST", body: file, credentials: "same-origin" }));
}

async function answer(response) {
  if (response.ok) return response.status === 204 ? null : response.json();
  let detail = `Conch answered ${response.status}.`;
  try {
    detail = (await response.json()).detail || detail;
  } catch {
    // no JSON came: the number has to do
  }
  throw new Refusal(detail, response.status);
}

/**
 * Follow the stream from these numbers on. After a cut the browser itself connects again and names the last event it got;
 * after a refusal it does not, and `lost` is told so.
 * @param {string} path
 * @param {string} after
 * @param {{event: (event: any) => void, lost: (forGood: boolean) => void, back: () => void}} on
 */
export function follow(path, after, on) {
  const source = new EventSource(`${path}?after=${encodeURIComponent(after)}`);
  source.addEventListener("open", on.back);
  source.addEventListener("error", () => on.lost(source.readyState === EventSource.CLOSED));
  source.addEventListener("screen", (event) => on.event(JSON.parse(event.data)));
  return source;
}
