// What the explorer adds to GraphiQL: example queries at one click, headers that are typed once
// for all tabs, and a stop button that ends the work in the database. It runs before GraphiQL's
// own script, which needs the first of what follows, and starts it once the page is there.

const settings = JSON.parse(document.querySelector('#settings').textContent);

globalThis.MonacoEnvironment = {
  // The editor comes as `globalThis.monaco`: its texts can be written to.
  globalAPI: true,
  getWorkerUrl: (_moduleId, label) => settings.workers[label],
};

const OWN = 'countergraph:';

const ownNames = () => Object.keys(localStorage).filter((name) => name.startsWith(OWN));

/** What GraphiQL keeps of its tabs. Other GraphiQLs of this host and port have other schemas. */
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

/** Headers hold tokens, so they are kept no longer than the browser's own tab. */
const TYPED_HEADERS = `${OWN}headers`;

const startHeaders = sessionStorage.getItem(TYPED_HEADERS) ?? settings.headers;

function keepHeaders(text) {
  if (text !== startHeaders) sessionStorage.setItem(TYPED_HEADERS, text);
}

/** A tab without headers of its own gets those that were typed last, into whichever tab. */
function giveHeaders({ tabs, activeTabIndex }) {
  const { headers } = tabs[activeTabIndex];
  const typed = sessionStorage.getItem(TYPED_HEADERS);
  if (typed !== null && (headers === null || headers === startHeaders)) {
    textOf('request-headers.json').setValue(typed);
  }
}

/** Credentials that are yet to be filled in are none: so the schema can be read meanwhile. */
const isFilledIn = ([, value]) => !/^\s*(basic|bearer)?\s*$/i.test(value);

/** Answers to subscribe to: a promise could not be stopped, and a subscription has several. */
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

/** GraphiQL takes a moment to notice another query; till then it names the operation before it. */
const operationOf = ({ query, operationName }) =>
  operationName && query.includes(operationName) ? operationName : undefined;

/** Subscriptions are answered by events, and all else by one document. */
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

/** The answers to a subscription, which the server writes as two lines and an empty one each. */
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

/** The text of one of GraphiQL's editors; undefined while it is not there yet. */
const textOf = (name) => monaco.editor.getModels().find(({ uri }) => uri.path.endsWith(name));

let { context } = settings;

/** The context of the variables as they are shown: filled in once, examples keep it. */
function shownContext() {
  try {
    return JSON.parse(textOf('variables.json').getValue()).context || context;
  } catch {
    // Half-written variables.
    return context;
  }
}

const variablesOf = ({ variables }) => JSON.stringify({ context, ...variables }, null, 2);

/** Into a new tab, unless what is shown is an example as it came, or nothing. */
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

/** GraphiQL starts with what it finds here, in the tab that has it, else in a new one. */
function startWith(query, variables) {
  storage.setItem('graphiql:query', query);
  storage.setItem('graphiql:variables', variables);
}

/** The query of the address, else what there was before, else the first example. */
function chooseStart() {
  const address = new URLSearchParams(location.search);
  const [example] = settings.examples;
  if (address.has('query')) {
    startWith(address.get('query'), address.get('variables') ?? '');
  } else if (storage.getItem('graphiql:tabState') === null) {
    startWith(example.query, variablesOf(example));
  }
  // It is in a tab from now on: the address would bring it back with every reload.
  history.replaceState(null, '', location.pathname);
}

function start() {
  const buttons = settings.examples.map(buttonOf);
  document.querySelector('#examples').append(...buttons);
  monaco.editor.onDidCreateModel(() => {
    for (const button of buttons) button.disabled = !TEXTS.every(textOf);
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
    // What is to be filled in is shown: the headers where they lack credentials.
    defaultEditorToolsVisibility: context ? 'variables' : 'headers',
    // Else its own welcome, and every edit in the address.
    initialQuery: undefined,
    onEditQuery: () => {},
  });
}

addEventListener('DOMContentLoaded', start);
