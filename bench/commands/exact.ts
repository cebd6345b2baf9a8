import { type Cleanup, withCleanup } from '../cleanup.ts';
import { type ExactOptions, exactOptions } from '../options/data-options.ts';
import { difference } from '../questions/answer.ts';
import type { Question } from '../questions/question.ts';
import { randomQuestions } from '../questions/random-questions.ts';
import { showProgress } from '../reports/progress.ts';
import { openSystems } from '../systems/open-systems.ts';
import { type Service, topperParameters } from '../systems/service.ts';
import type { System } from '../systems/system.ts';

const options = exactOptions(process.argv.slice(2));
await withCleanup((cleanup) => compareRandomly(options, cleanup));

/** Asks the service and plain SQL random questions until time is up or two answers differ. */
async function compareRandomly(
  { seconds, ...data }: ExactOptions,
  cleanup: Cleanup,
): Promise<void> {
  const { service, systems } = await openSystems(data, ['ours', 'sql'], cleanup);
  const sql = systems.find(({ name }) => name === 'sql');
  if (!service || !sql) throw new Error('the service and plain SQL are both needed');
  const until = performance.now() + seconds * 1000;
  let compared = 0;
  let keys = 0;
  for (const question of randomQuestions(data.shape, data.shape.seed)) {
    if (performance.now() > until) break;
    keys += await compareOne(service, sql, question);
    compared += 1;
    if (compared % 100 === 0) showProgress(`${compared} compared`);
  }
  console.log(
    `${compared} answers compared, all equal; they list ${keys.toLocaleString('en')} keys`,
  );
}

/** Returns the number of keys that both list. Error: the answers differ. */
async function compareOne(service: Service, sql: System, question: Question): Promise<number> {
  const askSql = await sql.prepare(question);
  const askService = await service.prepare(question);
  // Times do not matter here, so both may run at once.
  const [expected, listed, keyCount] = await Promise.all([
    askSql(),
    askService(),
    service.countKeys(question),
  ]);
  const answer = { ...listed, keyCount };
  const differing = difference(expected, answer);
  if (differing === null) return answer.keys.length;
  throw new Error(
    `plain SQL and the service differ: ${differing}\n` +
      `${new URLSearchParams(topperParameters(question))}`,
  );
}
