// In the explorer's place where it is for signed-in users only: asks for the page again, with the
// credentials that are typed here, and puts it in place of this one.

/** Where the explorer looks for the headers that were typed last, in this tab of the browser. */
const TYPED_HEADERS = 'countergraph:headers';

const form = document.querySelector('form');
const told = document.querySelector('output');

/** What is wrong is told in words; nothing is where nobody has typed anything yet. */
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

/** The headers of before, where this tab has some: a reload asks nobody to sign in again. */
function typedHeaders() {
  try {
    return JSON.parse(sessionStorage.getItem(TYPED_HEADERS));
  } catch {
    // Half-written headers.
    return null;
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { username, token } = Object.fromEntries(new FormData(form));
  told.textContent = '';
  try {
    await open({ authorization: `Bearer ${token}`, 'x-username': username });
  } catch (error) {
    told.textContent = error.message;
  }
});

const typed = typedHeaders();
// Where they are none of a user any longer, the form is there to be filled in.
if (typed) open(typed).catch(() => sessionStorage.removeItem(TYPED_HEADERS));
