import { shown } from '../../domain/errors.ts';
import { ToolFault } from '../tool-fault.ts';
import type { KnownContext } from './known-context.ts';
import { listText } from './list-text.ts';

/** Checks that the probe exists. Error: `ToolFault`, which lists the existing probes. */
export function checkProbe({ name, probes }: KnownContext, probe: string | undefined): void {
  if (probe === undefined || probes.includes(probe)) return;
  const list = probes.length === 0 ? 'none' : listText(probes);
  throw new ToolFault(`No probe ${shown(probe)} in ${name}; the probes are: ${list}`);
}
