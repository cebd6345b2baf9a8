import { useEffect, useState } from 'preact/hooks';
import { AddData, type AddDataQuery } from '../../../generated/operations.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { UploadReport } from '../../data/add/upload-report.ts';
import { isDemo } from '../../data/choices.ts';
import { Command } from '../../parts/command.tsx';
import { FaultNotice, Notice } from '../../parts/notice.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { IN_NO_VIEW, type ViewProps } from '../view-props.ts';
import { CollectCard } from './collect-card.tsx';
import { ExporterTable } from './exporter-table.tsx';
import { UploadCard } from './upload-card.tsx';

/** How often exporters are asked for while the page is visible. */
const EVERY_MS = 5_000;

/** What a new context is called unless the user says otherwise. */
const contextOf = (context: string | null): string =>
  context === null || isDemo(context) ? 'home' : context;

type Viewer = AddDataQuery['viewer'];

/** Says what adding data to a context leads to; undefined: nothing special. */
function hintOn(context: string, { contexts, editableContexts, isAdmin }: Viewer) {
  const has = (listed: readonly { readonly name: string }[]) =>
    listed.some(({ name }) => name === context);
  if (has(editableContexts)) return undefined;
  if (has(contexts)) return 'You may read this context, and not add data to it.';
  return isAdmin
    ? 'There is no such context yet: it will be created.'
    : 'You see no such context, and only administrators create one.';
}

/** How data come into a context: from routers, and from files. */
export function AddView({ address, navigate, session, moments }: ViewProps) {
  const [context, setContext] = useState(contextOf(address.context));
  const { data, fault, reload, refresh } = useAnswer(AddData, { context }, session);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) refresh();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [refresh]);
  if (fault && !data) return <FaultNotice isView fault={fault} onRetry={reload} />;
  const viewer = data?.viewer ?? null;
  const editable = viewer?.editableContexts.map(({ name }) => name) ?? [];
  if (viewer && editable.length === 0 && !viewer.isAdmin) {
    return (
      <Notice isView title="You may not add data">
        <p>
          Editors of a context add data to it. Ask an operator to make you one, with{' '}
          <Command>
            user add {session.username} --context {context} --role editor
          </Command>
          .
        </p>
      </Notice>
    );
  }
  const show = ({ context: name, from, to }: UploadReport) => {
    if (from === null || to === null) return;
    const window = { kind: 'interval', from, to } as const;
    navigate.go({ ...IN_NO_VIEW, view: 'top', context: name, group: null, meter: null, window });
  };
  return (
    <div class="view">
      <div class="storage-head">
        <div>
          <h1>Add data</h1>
          <p class="hint">Both ways fill the same counter groups: hosts, apps, protocols, pairs.</p>
        </div>
      </div>
      <div class="add-context">
        <TextField
          label="Add to the context"
          value={context}
          onInput={setContext}
          known={editable}
          hint={viewer ? hintOn(context, viewer) : undefined}
        />
      </div>
      <div class="add-ways">
        <CollectCard context={context} username={session.username} />
        <UploadCard session={session} context={context} onImported={refresh} onShow={show} />
      </div>
      <ExporterTable
        context={context}
        exporters={data?.context?.exporters ?? null}
        moments={moments}
      />
    </div>
  );
}
