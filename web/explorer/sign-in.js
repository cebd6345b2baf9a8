// Shown in place of an explorer that is for signed-in users only: begins a session with the
// credentials typed here, which the explorer then uses.

const form = document.querySelector('form');
const told = document.querySelector('output');

/** Signs in. Errors: what the server said, in words. */
async function signIn({ username, token, stay }) {
  const response = await fetch(new URL('session', location.href), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, token, stay: stay !== undefined }),
  });
  if (!response.ok) throw new Error(messageOf(await response.text()) ?? `HTTP ${response.status}`);
}

function messageOf(text) {
  try {
    return JSON.parse(text).errors[0].message;
  } catch {
    // A proxy may have answered.
    return null;
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  told.textContent = '';
  try {
    await signIn(Object.fromEntries(new FormData(form)));
    location.reload();
  } catch (error) {
    told.textContent = error.message;
  }
});
