import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = { id: string; impact: string; nodes: { target: string[]; html: string }[] };

/** What axe-core finds of serious or critical impact. */
export async function violations(page: Page): Promise<string[]> {
  // Under the page's policy no script of ours could be added to it; the browser itself may.
  await page.evaluate(AXE);
  const found = await page.evaluate<{ violations: Violation[] }>(
    // Nothing is told of what is as it should be: to name all those elements takes most of the time.
    "axe.run(document, { resultTypes: ['violations'], preload: false })",
  );
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
