import { z } from 'zod';
import { shown } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  CONTEXT_ARGUMENTS,
  CONTEXT_FIELD,
  CONTEXT_VARIABLES,
  contextVariables,
} from '../arguments/context-arguments.ts';
import { integer, text } from '../arguments/forms.ts';
import { counterGroup } from '../arguments/group-arguments.ts';
import { findGroup } from '../names/find-group.ts';
import { askContext } from '../names/known-context.ts';
import { groupOf, groupShape, keyOf, keyShape, keyText, type NamedKey } from '../shapes.ts';
import { defineTool } from '../tool.ts';

const DOCUMENT = `query McpKeys(${CONTEXT_VARIABLES}, $counterGroup: Guid!, $search: String,
  $first: Int!, $after: String) {
  ${CONTEXT_FIELD} { counterGroup(guid: $counterGroup) {
    keys(search: $search, first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      edges { node { key readable label description } }
    }
  } }
}`;

type Page = {
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly edges: readonly {
    readonly node: NamedKey & { readonly description: string | null };
  }[];
};

export const searchKeys = defineTool({
  name: 'search_keys',
  title: 'Search keys',
  description:
    'Keys of a counter group with a text in their label or readable form, such as hosts by name ' +
    'or by a part of their address. Without `search`: all keys, in the order of their raw form.',
  input: z.strictObject({
    ...CONTEXT_ARGUMENTS,
    counterGroup: counterGroup(),
    search: text('a text').optional().describe('Text in any case: `printer`, `192.168.1.`.'),
    first: integer(1, LIMITS.mcpItems)
      .default(LIMITS.defaultMcpItems)
      .describe('Maximum number of listed keys.'),
    after: text('a cursor').optional().describe('`endCursor` of the page before.'),
  }),
  output: z.object({
    context: z.string(),
    counterGroup: groupShape,
    totalCount: z.int().describe('How many keys all pages have together.'),
    keys: z.array(z.object({ ...keyShape, description: z.string().optional() })),
    endCursor: z.string().optional().describe('Only where there are more: pass it on as `after`.'),
  }),
  async answer({ counterGroup: wanted, search, first, after, ...choice }, graph) {
    const known = await askContext(graph, choice);
    const group = findGroup(known, wanted);
    const variables = {
      ...contextVariables(choice),
      counterGroup: group.guid,
      search,
      first,
      after,
    };
    const data = await graph.ask<{ context: { counterGroup: { keys: Page } } }>(
      DOCUMENT,
      variables,
    );
    const { totalCount, pageInfo, edges } = data.context.counterGroup.keys;
    const { hasNextPage, endCursor } = pageInfo;
    const keys = edges.map(({ node }) => node);
    const structured = {
      context: known.name,
      counterGroup: groupOf(group),
      totalCount,
      keys: keys.map(({ description, ...key }) => ({
        ...keyOf(key),
        ...(description !== null && { description }),
      })),
      ...(hasNextPage && endCursor !== null && { endCursor }),
    };
    const lines = keys.map(({ description, ...key }) =>
      [keyText(key), `raw ${key.key}`, ...(description === null ? [] : [description])].join(', '),
    );
    const searched = search === undefined ? '' : ` with ${shown(search)}`;
    const more = hasNextPage ? `, more after ${endCursor}` : '';
    const headline = `${keys.length} of ${totalCount} keys of ${group.name}${searched}${more}`;
    return { structured, text: [headline, ...lines].join('\n') };
  },
});
