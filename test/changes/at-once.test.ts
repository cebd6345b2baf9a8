import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { stringify } from 'lossless-json';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/connection/connection.ts';
import type { KeyText } from '../../domain/keys/key-text.ts';
import { importFile } from '../../ingest/files/import-file.ts';
import { simpleKey } from '../../ingest/import-key.ts';
import { loadGroups } from '../../ingest/load-groups.ts';
import { GatheredTexts } from '../../ingest/segments/gathered-texts.ts';
import { holdTables } from '../support/database/held-tables.ts';
import { type OpenStream, openStream } from '../support/http/event-stream.ts';
import { HOSTS, host, labelsOf, sendKeys, startEditingLab } from '../support/lab/editing-lab.ts';
import { DAY, T0 } from '../support/lab/lab.ts';
import { ADA, CONTEXT, startTestService, type TestService } from '../support/lab/service.ts';

let lab: TestService;
let other: TestService;
const streams: OpenStream[] = [];

beforeAll(async () => {
  lab = await startEditingLab();
  // Another server of the same database.
  other = await startTestService({ databaseUrl: lab.databaseUrl });
});

afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

afterAll(async () => {
  await other.close();
  await lab.close();
});

async function label(n: number, text: string, by = lab): Promise<void> {
  const { data, errors } = await sendKeys(by, [{ key: host(n), label: text }]);
  expect([errors, data.updateKeys?.map((key) => key['label'])]).toEqual([undefined, [text]]);
}

const TOPPER = `context(name: "${CONTEXT}") { counterGroup(guid: "${HOSTS}") {
  topper(window: { preset: ALL_AVAILABLE }) { keys { label } } } }`;

type Topped = { context: { counterGroup: { topper: { keys: { label: string }[] } } } };

const topLabel = async ({ data }: TestService) =>
  (await data<Topped>(`{ ${TOPPER} }`)).context.counterGroup.topper.keys[0]?.label;

describe('every answer after a change contains it', () => {
  it('from each server of the database, even if it was cached before', async () => {
    for (const [by, text] of [
      [lab, 'one'],
      [other, 'two'],
      [lab, 'three'],
    ] as const) {
      // Frequent documents are compiled, and their answers cached.
      for (let time = 0; time < 6; time += 1) await Promise.all([lab, other].map(topLabel));
      await label(1, text, by);
      for (const server of [lab, other]) {
        expect(await topLabel(server)).toBe(text);
        expect(await labelsOf(server, [host(1)])).toEqual([text]);
        const { keys } = await server.topper({
          counter_group: HOSTS,
          window_fromts: T0,
          window_seconds: 300,
          resolve_keys: true,
        });
        expect(keys.map((key) => key.label)).toEqual([text]);
      }
    }
  });

  it('in other fields of the same mutation, too', async () => {
    await label(1, 'before');
    await topLabel(lab);
    type Answered = { updateKeys: { counterGroup: Topped['context']['counterGroup'] }[] };
    const { updateKeys } = await lab.data<Answered>(`mutation {
      updateKeys(context: "${CONTEXT}", counterGroup: "${HOSTS}",
        keys: [{ key: "${host(1)}", label: "after" }]) {
        counterGroup { topper(window: { preset: ALL_AVAILABLE }) { keys { label } } }
      }
    }`);
    expect(updateKeys[0]?.counterGroup.topper.keys).toEqual([{ label: 'after' }]);
  });

  it('in subscriptions, too', async () => {
    await label(1, 'quiet');
    const query = `subscription { topper(context: "${CONTEXT}", counterGroup: "${HOSTS}",
      window: { preset: ALL_AVAILABLE }) { keys { label } } }`;
    const tags = `subscription { contextChanged(name: "${CONTEXT}") { slices { id tags } } }`;
    const texts = await openStream(other.url, query);
    const slices = await openStream(other.url, tags);
    streams.push(texts, slices);
    type Tagged = { contextChanged: { slices: { id: string; tags: string[] }[] } };
    const [slice] = (await slices.answer<Tagged>()).contextChanged.slices;
    expect(await texts.answer()).toEqual({ topper: { keys: [{ label: 'quiet' }] } });
    await label(1, 'told');
    expect(await texts.answer()).toEqual({ topper: { keys: [{ label: 'told' }] } });
    await lab.data('mutation($id: ID!) { updateSlice(id: $id, tags: ["t"]) { id } }', {
      id: slice?.id,
    });
    const told = await slices.answer<Tagged>();
    expect(told.contextChanged.slices[0]?.tags).toEqual(['primary', 't']);
  });
});

describe('no change waits for an import', () => {
  it('that locks the context, fills the slice and has texts of the same key', async () => {
    const events = new EventEmitter();
    const held = once(events, 'held');
    const released = once(events, 'released');
    const importing = importFile({
      databaseUrl: lab.databaseUrl,
      context: CONTEXT,
      format: 'samples',
      batchRows: 1,
      source: {
        name: 'slow',
        sizeBytes: null,
        isRepeatable: false,
        open: () =>
          Readable.from(
            (async function* () {
              for (const ts of [T0 + 60, T0 + 120, T0 + DAY]) {
                const line = {
                  group: HOSTS,
                  key: host(2),
                  ts,
                  values: { 0: 1 },
                  label: 'imported',
                };
                yield Buffer.from(`${stringify(line)}\n`);
              }
              await released;
            })(),
          ),
      },
      now: () => T0 + 10 * DAY,
      onProgress: ({ lines }) => lines === 3 && events.emit('held'),
    });
    await Promise.race([held, importing]);
    await label(2, 'by a user');
    type Found = { context: { slices: { id: string; tags: string[] }[] } };
    const query = `{ context(name: "${CONTEXT}") { slices { id tags } } }`;
    const [slice] = (await lab.data<Found>(query)).context.slices;
    const tagged = await lab.data<{ updateSlice: { tags: string[] } }>(
      'mutation($id: ID!) { updateSlice(id: $id, tags: ["busy"]) { tags } }',
      { id: slice?.id },
    );
    expect(tagged.updateSlice.tags).toEqual(['primary', 'busy']);
    events.emit('released');
    await importing;
    // A label in readings counts like one set by a user, and the last one wins.
    expect(await labelsOf(lab, [host(2)])).toEqual(['imported']);
    expect((await lab.data<Found>(query)).context.slices[0]?.tags).toEqual(['primary', 'busy']);
  });

  it('that put texts aside because they did not fit in memory', async () => {
    await lab.write(async (connection) => {
      const [{ id = 0 } = {}] = await lab.sql<{ id: number }>(
        'select context_id as id from contexts where name = $1',
        [CONTEXT],
      );
      const hosts = [...(await loadGroups(connection, id)).values()].find(
        ({ guid }) => guid === HOSTS,
      );
      if (!hosts) throw new Error('there is no such group');
      const texts = new GatheredTexts();
      const say = (n: number, more: object) =>
        texts.add({
          group: hosts,
          key: simpleKey(host(n) as KeyText),
          texts: { label: undefined, description: undefined, attributes: undefined, ...more },
        });
      await inTransaction(connection, async () => {
        say(3, { label: 'first', description: 'kept', attributes: { a: 'b' } });
        say(4, { label: 'gone' });
        await texts.putAside(connection);
        say(3, { label: 'second' });
        await texts.putAside(connection);
        say(4, { label: null });
        say(5, { label: 'fifth' });
        await label(3, 'meanwhile');
        await texts.write(connection);
      });
    });
    expect(await labelsOf(lab, [host(3), host(4), host(5)])).toEqual(['second', null, 'fifth']);
    const rows = await lab.sql('select description, attributes from key_texts where key = $1', [
      host(3),
    ]);
    expect(rows).toEqual([{ description: 'kept', attributes: { a: 'b' } }]);
  });
});

describe('a change that takes too long', () => {
  it('is cancelled, changes nothing, and says so', async () => {
    await label(6, 'before');
    const hasty = await startTestService({
      databaseUrl: lab.databaseUrl,
      settings: { queryTimeoutSeconds: 1 },
    });
    const holder = await holdTables(lab.databaseUrl, ['key_texts']);
    try {
      const { errors } = await sendKeys(hasty, [{ key: host(6), label: 'late' }], { as: ADA });
      expect(errors?.map(({ message, extensions }) => [extensions.code, message])).toEqual([
        ['TIMEOUT', 'Query timed out after 1 seconds'],
      ]);
    } finally {
      await holder.release();
      await hasty.close();
    }
    expect(await labelsOf(lab, [host(6)])).toEqual(['before']);
  });
});

it('many concurrent changes of the same keys, in any order, all succeed', async () => {
  const keys = [7, 8, 9, 10].map(host);
  const orders = Array.from({ length: 12 }, (_, i) => (i % 2 ? keys : [...keys].reverse()));
  const outcomes = await Promise.all(
    orders.map((order, i) =>
      sendKeys(
        i % 3 ? lab : other,
        order.map((key) => ({ key, label: `at once ${i}` })),
      ),
    ),
  );
  expect(outcomes.filter(({ errors }) => errors)).toEqual([]);
  expect(new Set(await labelsOf(lab, keys)).size).toBe(1);
});
