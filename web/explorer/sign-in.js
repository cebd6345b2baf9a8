// Shown in place of an explorer that is for signed-in users only: begins a session with the
// credentials typed here, which the explorer then uses.

const form = document.querySelector('form');
const told = document.querySelector('[role="alert"]');
const button = document.querySelector('button');

/** The name of whoever signed in last in this browser, as the dashboard keeps it. */
const USER = 'countergraph:user';

const { username, token } = form.elements;
username.value = localStorage.getItem(USER) ?? '';
if (username.value !== '') token.focus();

/** Signs in. Errors: what is wrong, in words. */
async function signIn(given) {
  const response = await fetch(new URL('session', location.href), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(given),
  }).catch(() => {
    throw new Error('The server cannot be reached. Check the network, and whether it is running.');
  });
  if (response.status === 401) {
    throw new Error('The user or token is wrong. Check both; they are case-sensitive.');
  }
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
  if (button.getAttribute('aria-disabled') === 'true') return;
  button.setAttribute('aria-disabled', 'true');
  told.textContent = '';
  const { stay } = form.elements;
  const given = { username: username.value.trim(), token: token.value.trim(), stay: stay.checked };
  try {
    await signIn(given);
    localStorage.setItem(USER, given.username);
    location.reload();
  } catch (error) {
    told.textContent = error.message;
    button.setAttribute('aria-disabled', 'false');
  }
});
