import { type Answer, send } from '../http/http-exchange.ts';
import { readiness } from '../service/readiness.ts';
import type { Service } from '../service/service.ts';
import { plainAnswer, type Route } from './route.ts';

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
