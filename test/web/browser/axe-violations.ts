import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = { id: string; impact: string; nodes: { target: string[]; html: string }[] };

/** Rules that are checked although axe-core calls their violations only moderate. */
const ALSO_CHECKED = ['landmark-unique'];

/**
 * The violations of serious or critical impact that axe-core finds, and of `ALSO_CHECKED`; or all of
 * them.
 */
export async function violations(page: Page, which?: 'all'): Promise<string[]> {
  // The page's policy forbids adding a script; evaluation by the browser is allowed.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const found = await page.evaluate<{ violations: Violation[] }>(
    // Only violations: listing the elements that pass takes most of the time.
    "axe.run(document, { resultTypes: ['violations'], preload: false })",
  );
  return found.violations
    .filter(
      ({ id, impact }) =>
        which === 'all' ||
        impact === 'serious' ||
        impact === 'critical' ||
        ALSO_CHECKED.includes(id),
    )
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
