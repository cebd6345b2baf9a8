import { z } from 'zod';
import { shortened, shown } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  CONTEXT_ARGUMENTS,
  CONTEXT_FIELD,
  CONTEXT_VARIABLES,
  contextVariables,
} from '../arguments/context-arguments.ts';
import { integer, listOf, text } from '../arguments/forms.ts';
import { counterGroup } from '../arguments/group-arguments.ts';
import { readingsWindow } from '../arguments/window-argument.ts';
import { findGroup } from '../names/find-group.ts';
import { askContext } from '../names/known-context.ts';
import { groupOf, groupShape, keyOf, keyShape, keyText, type NamedKey } from '../shapes.ts';
import { linesText, quoted } from '../text/lines.ts';
import { defineTool } from '../tool.ts';

const DOCUMENT = `query McpKeys(${CONTEXT_VARIABLES}, $counterGroup: Guid!, $search: String,
  $match: String, $cidr: [String!], $window: WindowInput, $first: Int!, $after: String) {
  ${CONTEXT_FIELD} { counterGroup(guid: $counterGroup) {
    keys(
      search: $search, match: $match, cidr: $cidr, window: $window, first: $first, after: $after
    ) {
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
    'Keys of a counter group: with a text in their label or readable form (hosts by name or by a ' +
    'part of their address), matching a pattern in their raw form, in networks, or with a reading ' +
    'in a window. All given conditions must hold; without any, all keys are listed. Sorted by raw ' +
    'form.',
  input: z.strictObject({
    ...CONTEXT_ARGUMENTS,
    counterGroup: counterGroup(),
    search: text('a text').optional().describe('Text, ignoring case: `printer`, `192.168.1.`.'),
    match: text('an RE2 pattern').optional().describe('RE2 pattern found in the raw key.'),
    cidr: listOf('a network such as 10.0.0.0/8')
      .optional()
      .describe('For groups of addresses: only within one of these networks.'),
    window: readingsWindow(),
    first: integer(1, LIMITS.mcpItems)
      .default(LIMITS.defaultMcpItems)
      .describe('Maximum number of listed keys.'),
    after: text('a cursor').optional().describe('`endCursor` of the previous page.'),
  }),
  output: z.object({
    context: z.string(),
    counterGroup: groupShape,
    totalCount: z.int().describe('The number of keys on all pages.'),
    keys: z.array(z.object({ ...keyShape, description: z.string().optional() })),
    endCursor: z.string().optional().describe('Only if there are more: pass it as `after`.'),
  }),
  async answer({ counterGroup: wanted, ...given }, graph) {
    const known = await askContext(graph, given);
    const group = findGroup(known, wanted);
    const variables = { ...given, ...contextVariables(given), counterGroup: group.guid };
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
      [keyText(key), `raw ${key.key}`, ...(description === null ? [] : [quoted(description)])].join(
        ', ',
      ),
    );
    const more = hasNextPage ? `, more after ${endCursor}` : '';
    const subject = [`keys of ${group.name}`, ...conditionsOf(given)].join(', ');
    const headline = `${keys.length} of ${totalCount} ${subject}${more}`;
    return { structured, text: linesText([headline, ...lines]) };
  },
});

type Conditions = {
  readonly search?: string | undefined;
  readonly match?: string | undefined;
  readonly cidr?: readonly string[] | undefined;
  readonly window?: object | undefined;
};

/** Says what all listed keys have in common. */
function conditionsOf({ search, match, cidr, window }: Conditions): string[] {
  const conditions: string[] = [];
  if (search !== undefined) conditions.push(`with ${shown(search)} in the label or readable form`);
  if (match !== undefined) conditions.push(`with a raw key matching ${shown(match)}`);
  if (cidr && cidr.length > 0) {
    conditions.push(`in one of the networks ${shortened(cidr.join(', '))}`);
  }
  if (window) conditions.push('with a reading in the window');
  return conditions;
}
