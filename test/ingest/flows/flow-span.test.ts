import { describe, expect, it } from 'vitest';
import type { Flow } from '../../../ingest/flows/flow.ts';
import { flowSpan } from '../../../ingest/formats/fields/flow-span.ts';
import { createGoflow2Parser } from '../../../ingest/formats/goflow2/goflow2-json.ts';
import { createPmacctParser } from '../../../ingest/formats/pmacct/pmacct-json.ts';
import { createZeekConnParser } from '../../../ingest/formats/zeek/zeek-conn.ts';

/** 2^32 milliseconds, after which an exporter's uptime starts again. */
const WRAP_US = 4_294_967_296_000;
const END_US = 1_700_000_000_000_000;
const SECOND_US = 1_000_000;

describe('the span of a flow', () => {
  it.each<[string, number, number | null]>([
    ['as reported', 90 * SECOND_US, 90 * SECOND_US],
    ['of 0', 0, 0],
    ['that ends before it starts', -1, null],
    ['a little longer than a wrap', WRAP_US + 2 * SECOND_US, 2 * SECOND_US],
    ['a little shorter than a wrap', WRAP_US - 300_000, 0],
    ['60 s longer than a wrap', WRAP_US + 60 * SECOND_US, 60 * SECOND_US],
    ['more than 60 s longer than a wrap', WRAP_US + 60_000_001, WRAP_US + 60_000_001],
    ['60 s shorter than a wrap', WRAP_US - 60 * SECOND_US, 0],
    ['more than 60 s shorter than a wrap', WRAP_US - 60_000_001, WRAP_US - 60_000_001],
    ['of two wraps', 2 * WRAP_US + 1, 1],
    ['that ends a wrap before it starts', -WRAP_US, 0],
    ['that ends a little less than a wrap before it starts', 5 * SECOND_US - WRAP_US, 5_000_000],
    ['that ends a little more than a wrap before it starts', -5 * SECOND_US - WRAP_US, 0],
    ['that ends much more than a wrap before it starts', -61 * SECOND_US - WRAP_US, null],
    ['that ends three wraps before it starts', 7 - 3 * WRAP_US, 7],
  ])('%s: %d µs is %s µs, and keeps its end', (_, between, durationUs) => {
    const span = durationUs === null ? null : { startUs: END_US - durationUs, durationUs };
    expect(flowSpan(END_US - between, END_US)).toEqual(span);
  });
});

const WRAPPED = { startUs: END_US - 2 * SECOND_US, durationUs: 2 * SECOND_US };
const startSeconds = (END_US - WRAPPED.durationUs - WRAP_US) / 1e6;

const LINES: Record<string, () => Flow | string | null> = {
  goflow2: () =>
    createGoflow2Parser({ portRule: 'registered' })(
      JSON.stringify({
        time_flow_start_ms: startSeconds * 1000,
        time_flow_end_ms: END_US / 1000,
        bytes: 7_000,
        packets: 20,
        src_addr: '10.0.0.1',
        dst_addr: '198.51.100.7',
        proto: 'ICMP',
      }),
    ),
  pmacct: () =>
    createPmacctParser({ timeZone: 'UTC', portRule: 'registered' })(
      JSON.stringify({
        ip_src: '10.0.0.1',
        ip_dst: '198.51.100.7',
        timestamp_start: String(startSeconds),
        timestamp_end: String(END_US / 1e6),
        bytes: 7_000,
        packets: 20,
      }),
    ),
  zeek: () =>
    createZeekConnParser()(
      JSON.stringify({
        ts: startSeconds,
        duration: 4_294_969.296,
        'id.orig_h': '10.0.0.1',
        'id.resp_h': '198.51.100.7',
        proto: 'icmp',
      }),
    ),
};

it.each(Object.entries(LINES))('a wrapped uptime is recognised in lines of %s', (_, flow) => {
  expect(flow()).toMatchObject(WRAPPED);
});
