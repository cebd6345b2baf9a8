import autocannon from 'autocannon';
import type { ForkedServer } from './forked-server.ts';
import type { BenchRequest } from './requests.ts';

/** Figures of one way to an answer, over all connections. */
export type WayFigures = {
  readonly cpuMicroseconds: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
};

const CONNECTIONS = 8;

/** Sends requests on a few connections for some seconds. Errors: an answer other than 200. */
export async function measureWay(
  server: ForkedServer,
  request: BenchRequest,
  seconds: number,
): Promise<WayFigures> {
  const before = await server.cpuMicroseconds();
  const { path, ...rest } = request;
  const result = await autocannon({
    url: server.url + path,
    connections: CONNECTIONS,
    duration: seconds,
    method: rest.method,
    headers: { ...rest.headers },
    ...(rest.body !== undefined && { body: rest.body }),
  });
  const spent = (await server.cpuMicroseconds()) - before;
  if (result.non2xx + result.errors + result.timeouts > 0) {
    throw new Error(
      `${server.name}: ${result.non2xx} answers were no 200, ${result.errors} failed`,
    );
  }
  return {
    cpuMicroseconds: spent / result.requests.total,
    requestsPerSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
