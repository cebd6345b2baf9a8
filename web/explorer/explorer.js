// What the explorer adds to GraphiQL: example queries at one click, headers that are typed once for
// all tabs, and a stop button that ends the work in the database. This runs before GraphiQL's own
// script, which needs the first part of it, and starts GraphiQL once the page is loaded.

const settings = JSON.parse(document.querySelector('#settings').textContent);

globalThis.MonacoEnvironment = {
  // Exposes the editor as `globalThis.monaco`, so that its texts can be set.
  globalAPI: true,
  getWorkerUrl: (_moduleId, label) => settings.workers[label],
};

const OWN = 'countergraph:';

const ownNames = () => Object.keys(localStorage).filter((name) => name.startsWith(OWN));

/**
 * Stores what GraphiQL keeps of its tabs. Other GraphiQLs on this host and port have other schemas.
 */
const storage = {
  getItem: (name) => localStorage.getItem(OWN + name),
  setItem: (name, value) => localStorage.setItem(OWN + name, value),
  removeItem: (name) => localStorage.removeItem(OWN + name),
  clear: () => {
    for (const name of ownNames()) localStorage.removeItem(name);
  },
  get length() {
    return ownNames().length;
  },
};

/** Headers contain tokens, so they are kept no longer than the browser's own tab. */
const TYPED_HEADERS = `${OWN}headers`;

/** What the headers editor starts with: nothing for whoever is signed in, and never the demo's then. */
let startHeaders = sessionStorage.getItem(TYPED_HEADERS);

/** Returns who is signed in on the pages of this server; null: nobody, or it does not say. */
async function signedInUser() {
  try {
    const response = await fetch(new URL('session', location.href), { cache: 'no-store' });
    return response.ok ? (await response.json()).username : null;
  } catch {
    return null;
  }
}

function keepHeaders(text) {
  if (text !== startHeaders) sessionStorage.setItem(TYPED_HEADERS, text);
}

/** Gives a tab without headers of its own those that were typed last, in whichever tab. */
function giveHeaders({ tabs, activeTabIndex }) {
  const { headers } = tabs[activeTabIndex];
  const typed = sessionStorage.getItem(TYPED_HEADERS);
  if (typed !== null && (headers === null || headers === startHeaders)) {
    textOf('request-headers.json').setValue(typed);
  }
}

/** Credentials that are not filled in are not sent, so that the schema can be read meanwhile. */
const isFilledIn = ([, value]) => !/^\s*(basic|bearer)?\s*$/i.test(value);

/** Returns an observable: a promise cannot be stopped, and a subscription has several answers. */
const fetcher = (request, options) => ({
  subscribe(observer) {
    const stopped = new AbortController();
    const { signal } = stopped;
    const onAnswer = (answer) => observer.next(answer);
    ask(request, options?.headers ?? {}, { signal, onAnswer }).then(
      () => observer.complete(),
      (error) => {
        if (!signal.aborted) observer.error(error);
      },
    );
    return { unsubscribe: () => stopped.abort() };
  },
});

/** GraphiQL takes a moment to notice a new query; until then it names the previous operation. */
const operationOf = ({ query, operationName }) =>
  operationName && query.includes(operationName) ? operationName : undefined;

/** Subscriptions are answered by events, and everything else by one document. */
const ACCEPTED =
  'application/graphql-response+json, application/json;q=0.9, text/event-stream;q=0.8';

async function ask(request, headers, { signal, onAnswer }) {
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: {
      accept: ACCEPTED,
      'content-type': 'application/json',
      ...Object.fromEntries(Object.entries(headers).filter(isFilledIn)),
    },
    body: JSON.stringify({ ...request, operationName: operationOf(request) }),
    signal,
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) await readEvents(response.body, onAnswer);
  else onAnswer(await readJson(response));
}

async function readJson(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`HTTP ${response.status} without JSON: ${text.slice(0, 500)}`, { cause });
  }
}

/** Reads the answers to a subscription: the server writes each as two lines and an empty one. */
async function readEvents(body, onAnswer) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let isComplete = false;
  let rest = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const blocks = (rest + read.value).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const [, event, data] = /^event: (\w+)\ndata: ?(.*)$/.exec(block) ?? [];
      if (event === 'next') onAnswer(JSON.parse(data));
      isComplete ||= event === 'complete';
    }
  }
  if (!isComplete) throw new Error('The connection was lost: execute the subscription again');
}

const TEXTS = ['operation.graphql', 'variables.json', 'request-headers.json', 'response.json'];

/** Returns the model of one of GraphiQL's editors; undefined if it does not exist yet. */
const textOf = (name) => monaco.editor.getModels().find(({ uri }) => uri.path.endsWith(name));

let { context } = settings;

/** Returns the context in the shown variables: once it is filled in, examples keep it. */
function shownContext() {
  try {
    return JSON.parse(textOf('variables.json').getValue()).context || context;
  } catch {
    // Half-written variables.
    return context;
  }
}

const variablesOf = ({ variables }) => JSON.stringify({ context, ...variables }, null, 2);

/** Shows an example in a new tab, unless the current tab has an unchanged example or no query. */
function showExample(example) {
  const shown = textOf('operation.graphql').getValue();
  const isReplaceable = !shown.trim() || settings.examples.some(({ query }) => query === shown);
  context = shownContext();
  if (!isReplaceable) document.querySelector('.graphiql-tab-add').click();
  textOf('operation.graphql').setValue(example.query);
  textOf('variables.json').setValue(variablesOf(example));
  textOf('response.json').setValue('');
}

function buttonOf(example) {
  const button = document.createElement('button');
  button.type = 'button';
  button.disabled = true;
  button.textContent = example.title;
  button.addEventListener('click', () => showExample(example));
  return button;
}

/** Sets what GraphiQL starts with, in the tab that already has it, or else in a new one. */
function startWith(query, variables) {
  storage.setItem('graphiql:query', query);
  storage.setItem('graphiql:variables', variables);
}

/** Characters of a query or of variables in a link: more than the server takes are no use. */
const MOST_LINKED = 256 * 1024;

/** Returns what the address says: pages link by the fragment, which is not sent to the server. */
function addressed() {
  const parts = [location.hash.slice(1), location.search];
  const given = parts.map((part) => new URLSearchParams(part)).find((each) => each.has('query'));
  const texts = [given?.get('query') ?? '', given?.get('variables') ?? ''];
  return texts.every((text) => text.length <= MOST_LINKED) ? given : undefined;
}

/** Starts with the query in the address, else with the stored tabs, else with the first example. */
function chooseStart() {
  const address = addressed();
  const [example] = settings.examples;
  if (address) {
    startWith(address.get('query'), address.get('variables') ?? '');
  } else if (storage.getItem('graphiql:tabState') === null) {
    startWith(example.query, variablesOf(example));
  }
  // The query is in a tab now: the address would bring it back with every reload.
  history.replaceState(null, '', location.pathname);
}

/**
 * Makes GraphiQL's tabs a list of buttons: what is within a tab cannot be reached by all who use a
 * screen reader, and these contain a button that closes them.
 */
function listTabs() {
  const list = document.querySelector('.graphiql-tabs');
  if (!list) return;
  const asButtons = () => {
    list.removeAttribute('role');
    for (const tab of list.querySelectorAll('.graphiql-tab')) {
      tab.removeAttribute('role');
      tab.removeAttribute('aria-selected');
      const isShown = tab.classList.contains('graphiql-tab-active');
      tab.querySelector('button').setAttribute('aria-current', String(isShown));
    }
  };
  asButtons();
  const attributeFilter = ['role', 'aria-selected', 'class'];
  new MutationObserver(asButtons).observe(list, {
    attributeFilter,
    childList: true,
    subtree: true,
  });
}

async function start() {
  startHeaders ??= (await signedInUser()) === null ? settings.headers : '{}';
  const buttons = settings.examples.map(buttonOf);
  document.querySelector('#examples').append(...buttons);
  const follow = monaco.editor.onDidCreateModel(() => {
    if (!TEXTS.every(textOf)) return;
    for (const button of buttons) button.disabled = false;
    listTabs();
    follow.dispose();
  });
  chooseStart();
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#explorer'), {
    title: 'countergraph',
    logo: `<img src="${settings.icon}" alt="">`,
    fetcher,
    storage,
    shouldPersistHeaders: false,
    defaultHeaders: startHeaders,
    onEditHeaders: keepHeaders,
    onTabChange: giveHeaders,
    // Shows what has to be filled in: the headers if they lack credentials.
    defaultEditorToolsVisibility: context ? 'variables' : 'headers',
    // Without these, GraphiQL shows its own welcome, and puts every edit into the address.
    initialQuery: undefined,
    onEditQuery: () => {},
  });
}

addEventListener('DOMContentLoaded', start);
