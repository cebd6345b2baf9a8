import { z } from 'zod';
import type { Interval } from '../graph.ts';
import { windowOf, windowShape } from '../shapes.ts';
import { linesText } from '../text/lines.ts';
import { windowText } from '../text/window-text.ts';
import { defineTool } from '../tool.ts';

const DOCUMENT = `query McpContexts {
  viewer { username }
  contexts { name probes totalWindow { from to } }
}`;

type Data = {
  readonly viewer: { readonly username: string };
  readonly contexts: readonly {
    readonly name: string;
    readonly probes: readonly string[];
    readonly totalWindow: Interval | null;
  }[];
};

export const listContexts = defineTool({
  name: 'list_contexts',
  title: 'List contexts',
  description:
    'The contexts (named data sets) that you may read, the time range of their data, and their ' +
    'probes. Start here.',
  input: z.strictObject({}),
  output: z.object({
    username: z.string(),
    contexts: z.array(
      z.object({
        name: z.string(),
        probes: z.array(z.string()),
        totalWindow: windowShape.nullable().describe('null without data.'),
      }),
    ),
  }),
  async answer(_, graph) {
    const { viewer, contexts } = await graph.ask<Data>(DOCUMENT, {});
    const structured = {
      username: viewer.username,
      contexts: contexts.map(({ name, probes, totalWindow }) => ({
        name,
        probes: [...probes],
        totalWindow: totalWindow && windowOf(totalWindow),
      })),
    };
    const lines = contexts.map(({ name, probes, totalWindow }) => {
      const data = totalWindow ? `data from ${windowText(totalWindow)}` : 'no data';
      return `${name}: ${data}${probes.length > 0 ? `; probes ${probes.join(', ')}` : ''}`;
    });
    const none = `${viewer.username} may read no context`;
    return { structured, text: linesText(lines.length > 0 ? lines : [none]) };
  },
});
