import { describe, expect, it } from 'vitest';
import { LEGACY_ENDPOINTS } from '../../parity/legacy-endpoint.ts';
import { readRequestLine } from '../../parity/read-requests.ts';
import { counterGroupInfo } from '../../rest/endpoints/counter-group-info.ts';
import { timeSlices } from '../../rest/endpoints/time-slices.ts';
import { topper } from '../../rest/endpoints/topper.ts';

/** Returns `endpoint query` of each request, or why the line is left out. */
function read(line: string): string[] {
  const found = readRequestLine(line);
  switch (found.kind) {
    case 'requests':
      return found.requests.map(({ endpoint, query }) => `${endpoint} ${query}`);
    case 'left out':
      return [`left out: ${found.reason}`];
    case 'none':
      return [];
    default:
      return found satisfies never;
  }
}

const TOPPER_PATH = '/api/topper/topper_request';

describe('a line of requests', () => {
  it.each([
    ['an address', `https://old.example/ui${TOPPER_PATH}?context=lab&meter=1`],
    ['a path', `${TOPPER_PATH}?context=lab&meter=1`],
    ['a path with a slash at its end', `${TOPPER_PATH}/?context=lab&meter=1`],
    ['a path that begins with two slashes', `/${TOPPER_PATH}?context=lab&meter=1`],
    ['an address with a fragment', `http://old.example${TOPPER_PATH}?context=lab&meter=1#top`],
    ['a query', 'context=lab&meter=1'],
    ['a query with its question mark', '?context=lab&meter=1'],
    ['a request line', `GET ${TOPPER_PATH}?context=lab&meter=1 HTTP/1.1`],
    [
      'a line in the common log format',
      `10.0.0.1 - ada [24/Nov/2026:10:00:00 +0000] "GET ${TOPPER_PATH}?context=lab&meter=1 HTTP/1.1" 200 512`,
    ],
    [
      'a line in the combined log format',
      `::1 - - [24/Nov/2026:10:00:00 +0000] "GET ${TOPPER_PATH}?context=lab&meter=1 HTTP/2.0" 200 512 "-" "curl/8 [x] \\"y\\""`,
    ],
    ['a path with white space around it', `  ${TOPPER_PATH}?context=lab&meter=1\t`],
  ])('may be %s', (_, line) => {
    expect(read(line)).toEqual(['topper context=lab&meter=1']);
  });

  it.each([
    ['context=lab&get_disk_usage=true', ['slices context=lab&get_disk_usage=true']],
    ['context=lab&get_meter_info=true', ['groups context=lab&get_meter_info=true']],
    ['context=lab&counter_group=x', ['topper context=lab&counter_group=x']],
    [
      'context=lab&counter_group=x&get_meter_info=1',
      ['groups context=lab&counter_group=x&get_meter_info=1'],
    ],
    ['context=lab', ['slices context=lab', 'groups context=lab']],
  ])('with only the query %s is for each endpoint that accepts it', (line, expected) => {
    expect(read(line)).toEqual(expected);
  });

  it.each(['', '   ', '# of Monday'])('that is %j is ignored', (line) => {
    expect(read(line)).toEqual([]);
  });

  it.each([
    ['/healthz', 'none of the three endpoints'],
    ['https://old.example/', 'none of the three endpoints'],
    ['meter=1', 'neither an address nor a query with a context'],
    [`POST ${TOPPER_PATH} HTTP/1.1`, 'POST, and no GET'],
    [
      `10.0.0.1 - - [24/Nov/2026:10:00:00 +0000] "HEAD ${TOPPER_PATH}?context=lab HTTP/1.1" 200 0`,
      'HEAD, and no GET',
    ],
    ['something else altogether', 'no address, query or line of an access log'],
    ['10.0.0.1 - - [x] "-" 400 0', 'no address, query or line of an access log'],
  ])('that is %j is left out', (line, reason) => {
    expect(read(line)).toEqual([`left out: ${reason}`]);
  });

  it('is recognized by the paths of the endpoints', () => {
    expect(Object.values(LEGACY_ENDPOINTS).map(({ path }) => path)).toEqual([
      timeSlices.path,
      counterGroupInfo.path,
      topper.path,
    ]);
  });
});
