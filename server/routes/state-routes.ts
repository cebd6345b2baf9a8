import { checkReadiness } from '../../db/check-readiness.ts';
import { LOST_STATEMENTS } from '../../db/connection/pooler.ts';
import type { Answer } from '../http/http-exchange.ts';
import { send } from '../http/send-answer.ts';
import type { Service } from '../service/service.ts';
import { plainAnswer, type Route } from './respond.ts';

/** Creates the routes for load balancers and Prometheus. The server answers them even if busy. */
export function stateRoutes(service: Service): Route[] {
  return [
    stateRoute('/healthz', async () => textAnswer('alive')),
    stateRoute('/readyz', () => readyAnswer(service)),
    stateRoute('/metrics', () => metricsAnswer(service)),
  ];
}

const stateRoute = (path: string, answer: () => Promise<Answer>): Route => ({
  name: path,
  always: true,
  answer: async (exchange) => send(exchange, await answer()),
});

async function readyAnswer(service: Service): Promise<Answer> {
  const { problem, warnings } = await readiness(service);
  if (problem !== null) return unavailable(problem);
  return textAnswer(['ready', ...warnings.map((warning) => `warning: ${warning}`)].join('\n'));
}

async function metricsAnswer({ metrics, siblings, log }: Service): Promise<Answer> {
  try {
    const text = await (siblings ? siblings.metricsText() : metrics.text());
    return plainAnswer(metrics.contentType, text);
  } catch (err) {
    const problem = 'the metrics of all processes could not be gathered';
    log.warn({ err }, problem);
    return unavailable(problem);
  }
}

const textAnswer = (text: string): Answer => plainAnswer('text/plain; charset=utf-8', `${text}\n`);

const unavailable = (problem: string): Answer => {
  const { headers, body } = textAnswer(problem);
  return { status: 503, headers, body };
};

type Readiness = {
  /** A sentence that says why requests should go elsewhere; null: they can be answered. */
  readonly problem: string | null;
  /** What an operator should fix although requests are answered. */
  readonly warnings: readonly string[];
};

async function readiness({
  state,
  pools,
  siblings,
}: Pick<Service, 'state' | 'pools' | 'siblings'>): Promise<Readiness> {
  if (state.isClosing) {
    return { problem: 'draining: the server is closing, and takes no new requests', warnings: [] };
  }
  const { problem, warning } = await checkReadiness(pools);
  const losesStatements = pools.entries().some(([, { pooler }]) => pooler.losesStatements);
  const missing = siblings?.missing() ?? null;
  return {
    problem,
    warnings: [warning, losesStatements ? LOST_STATEMENTS : null, missing].filter(
      (each) => each !== null,
    ),
  };
}
