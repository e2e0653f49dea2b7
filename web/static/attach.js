// @ts-check
/** Files for the next message: chosen, dropped or pasted, sent to the server at once, and named by the message. */

/**
 * @param {HTMLFormElement} form
 * @param {HTMLTextAreaElement} field
 * @param {(words: string) => void} say
 */
export function attaching(form, field, say) {
  const list = /** @type {HTMLUListElement} */ (document.getElementById("attached"));
  const button = /** @type {HTMLButtonElement} */ (document.getElementById("attach"));
  const chosen = /** @type {HTMLInputElement} */ (document.getElementById("files"));
  const address = form.action.replace(/messages$/, "files");

  /** @param {File} file */
  async function add(file) {
    const row = document.createElement("li");
    row.textContent = `${file.name} …`;
    list.append(row);
    try {
      const headers = { "content-type": file.type || "application/octet-stream", accept: "application/json" };
      const answer = await fetch(`${address}?name=${encodeURIComponent(file.name || "file")}`, { method: "POST", body: file, headers });
      const told = await answer.json();
      if (!answer.ok) throw new Error(told.detail ?? "The file did not get through.");
      row.replaceChildren(named(told.name), hidden(told.file), remove(row, told.name));
    } catch (fault) {
      row.remove();
      say(fault instanceof TypeError ? "The file did not get through. Try again." : /** @type {Error} */ (fault).message);
    }
  }

  /** @param {Iterable<File>} files */
  const all = (files) => [...files].forEach(add);
  button.hidden = false;
  button.addEventListener("click", () => chosen.click());
  chosen.addEventListener("change", () => {
    all(chosen.files ?? []);
    chosen.value = "";
  });
  field.addEventListener("paste", (event) => {
    const files = event.clipboardData?.files ?? [];
    if (files.length) {
      event.preventDefault();
      all(files);
    }
  });
  addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    all(event.dataTransfer.files);
  });
  return { any: () => list.querySelector("input") !== null, clear: () => list.replaceChildren() };
}

/** @param {string} words */
function named(words) {
  const made = document.createElement("bdi");
  made.textContent = words;
  return made;
}

/** @param {string} value */
function hidden(value) {
  const made = document.createElement("input");
  made.type = "hidden";
  made.name = "file";
  made.value = value;
  made.setAttribute("form", "compose");
  return made;
}

/**
 * @param {HTMLElement} row
 * @param {string} name
 */
function remove(row, name) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button";
  made.textContent = "×";
  made.setAttribute("aria-label", `Leave out ${name}`);
  made.addEventListener("click", () => row.remove());
  return made;
}
