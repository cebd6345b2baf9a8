// Shown in place of an explorer that is for signed-in users only: requests the page again with the
// credentials typed here, and replaces this page with it.

/** Where the explorer looks for the headers that were typed last, in this tab of the browser. */
const TYPED_HEADERS = 'countergraph:headers';

const form = document.querySelector('form');
const told = document.querySelector('output');

/** Opens the explorer. Errors: what the server said, in words. */
async function open(headers) {
  const accept = { accept: 'text/html' };
  const response = await fetch(location.href, { headers: { ...headers, ...accept } });
  const text = await response.text();
  if (!response.ok) throw new Error(messageOf(text) ?? `HTTP ${response.status}`);
  sessionStorage.setItem(TYPED_HEADERS, JSON.stringify(headers, null, 2));
  document.open();
  document.write(text);
  document.close();
}

function messageOf(text) {
  try {
    return JSON.parse(text).errors[0].message;
  } catch {
    // A proxy may have answered.
    return null;
  }
}

/** Returns the stored headers, if this tab has any: after a reload nobody has to sign in again. */
function typedHeaders() {
  try {
    return JSON.parse(sessionStorage.getItem(TYPED_HEADERS));
  } catch {
    // Half-written headers.
    return null;
  }
}

async function tryToOpen(headers) {
  told.textContent = '';
  try {
    await open(headers);
  } catch (error) {
    told.textContent = error.message;
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { username, token } = Object.fromEntries(new FormData(form));
  await tryToOpen({ authorization: `Bearer ${token}`, 'x-username': username });
});

const typed = typedHeaders();
if (typed) await tryToOpen(typed);
