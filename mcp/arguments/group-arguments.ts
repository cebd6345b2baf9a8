import { z } from 'zod';
import { text } from './forms.ts';

/** A counter group and its meters, by the names that people use for them. */
export const counterGroup = () =>
  text('the name or GUID of a counter group').describe(
    'Name or GUID of the counter group: `Hosts`; list_groups has them.',
  );

export const meter = (of: string) => {
  const error = 'must be the number or name of a meter';
  return z
    .union([z.int({ error }), z.string({ error })], { error })
    .default(0)
    .describe(`Number or name of the meter ${of}: \`0\`, \`Total\`; list_groups has them.`);
};

export const probe = () =>
  text('the name of a probe').optional().describe("Only this probe's readings.");
