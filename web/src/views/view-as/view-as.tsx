import { useState } from 'preact/hooks';
import type { Address } from '../../address/address.ts';
import type { Navigate } from '../../address/use-address.ts';
import { pageMeta } from '../../api/page-meta.ts';
import type { Session } from '../../api/session.ts';
import type { Span } from '../../data/choices.ts';
import { graphqlCurl, restCurl } from '../../data/view-as/curl.ts';
import type { RestAddress } from '../../data/view-as/rest-address.ts';
import type { WrittenQuery } from '../../data/view-as/written-query.ts';
import { saveFile } from '../../export/save-file.ts';
import { Radios } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { CopiedText } from '../add/copied-text.tsx';

/** How a view can be had elsewhere. */
export type ViewForms = {
  readonly query: WrittenQuery;
  readonly rest: RestAddress;
  /** null: the view has no table to save. */
  readonly csv: { readonly name: string; readonly text: string } | null;
  /** The time that it shows; null: it has no window. */
  readonly span: Span | null;
};

type ViewAsProps = {
  readonly session: Session;
  readonly address: Address;
  readonly navigate: Navigate;
  /** Called when the dialog is open. */
  readonly formsOf: () => ViewForms;
};

const FORMS = ['GraphQL', 'curl', 'REST', 'CSV', 'Link'] as const;

type Form = (typeof FORMS)[number];

/** A button that shows how to get the same as this view elsewhere. */
export function ViewAs(props: ViewAsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="code" /> This view as …
      </button>
      {isOpen && (
        <Dialog title="This view as" onClose={() => setOpen(false)}>
          <Forms {...props} />
          <div class="edit-actions is-end">
            <button type="button" class="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function Forms(props: ViewAsProps) {
  const [form, setForm] = useState<Form>('GraphQL');
  const forms = props.formsOf();
  return (
    <div class="view-as">
      <Radios
        legend="Form"
        name="view-as"
        value={form}
        options={FORMS.map((value) => ({ value, label: value }))}
        onChoose={setForm}
      />
      <OneForm {...props} {...forms} form={form} />
    </div>
  );
}

type FormProps = ViewAsProps & ViewForms & { readonly form: Form };

function OneForm(props: FormProps) {
  const { form, session, query } = props;
  const graphql = new URL('graphql', document.baseURI);
  switch (form) {
    case 'GraphQL':
      return (
        <>
          <CopiedText key={form} name="query" text={query.document} />
          <CopiedText name="variables" text={JSON.stringify(query.variables, null, 2)} />
          {pageMeta('explorer') !== 'off' && (
            <p>
              <a href={explorerLink(graphql, query)} target="_blank" rel="noreferrer">
                Open in the explorer
              </a>{' '}
              <span class="hint">signed in as you are here</span>
            </p>
          )}
        </>
      );
    case 'curl':
      return (
        <>
          <CopiedText
            key={form}
            name="command"
            text={graphqlCurl(graphql.href, session.username, query)}
          />
          <TokenHint />
        </>
      );
    case 'REST':
      return <Rest key={form} {...props} />;
    case 'CSV':
      return <Csv key={form} {...props} />;
    case 'Link':
      return <Links key={form} {...props} />;
    default:
      return form satisfies never;
  }
}

/** In the fragment, which is not sent: an address that is sent has a limit. */
const explorerLink = (graphql: URL, { document: query, variables }: WrittenQuery): string => {
  const given = new URLSearchParams({ query, variables: JSON.stringify(variables, null, 2) });
  return `${graphql.href}#${given}`;
};

const TokenHint = () => (
  <p class="hint">
    TOKEN is a variable of the shell with your token: <code>export TOKEN=…</code>
  </p>
);

function Rest({ rest, session }: FormProps) {
  if ('why' in rest) return <p>{rest.why} GraphQL says the same as this view.</p>;
  const { href } = new URL(rest.path, document.baseURI);
  return (
    <>
      <CopiedText name="address" text={href} />
      <CopiedText name="command" text={restCurl(href, session.username)} />
      <TokenHint />
    </>
  );
}

function Csv({ csv, rest, session }: FormProps) {
  if (csv === null) return <p>This view has no table to save.</p>;
  const save = () =>
    saveFile(`${csv.name}.csv`, new Blob([csv.text], { type: 'text/csv;charset=utf-8' }));
  const isInRest = 'path' in rest && rest.path.startsWith('api/topper/');
  return (
    <>
      <CopiedText name="table" text={csv.text} />
      <p>
        <button type="button" class="button" onClick={save}>
          <Icon name="save" /> Save as CSV
        </button>
      </p>
      {isInRest && (
        <>
          <p>Its keys with their metric, by REST:</p>
          <CopiedText
            name="command"
            text={restCurl(
              new URL(`${rest.path}&format=csv`, document.baseURI).href,
              session.username,
            )}
          />
          <TokenHint />
        </>
      )}
    </>
  );
}

function Links({ address, navigate, span }: FormProps) {
  const at = (changes: Partial<Address>) => new URL(navigate.link(changes), location.href).href;
  const fixed = span && at({ window: { kind: 'interval', from: span.from, to: span.to } });
  const isFixed = address.window.kind === 'interval';
  return (
    <>
      {fixed !== null && (
        <>
          <p>Always exactly this time:</p>
          <CopiedText name="link to this time" text={fixed} />
        </>
      )}
      {(fixed === null || !isFixed) && (
        <>
          <p>{fixed === null ? 'This view:' : 'The same window whenever it is opened:'}</p>
          <CopiedText name="link" text={at({})} />
        </>
      )}
    </>
  );
}
