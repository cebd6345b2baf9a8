import { z } from 'zod';
import { shown } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isoTime } from '../../domain/time/iso-time.ts';
import {
  CONTEXT_ARGUMENTS,
  CONTEXT_FIELD,
  CONTEXT_VARIABLES,
  contextVariables,
} from '../arguments/context-arguments.ts';
import { integer, text } from '../arguments/forms.ts';
import type { BigNumber } from '../graph.ts';
import { noContext } from '../names/known-context.ts';
import { listText } from '../names/list-text.ts';
import { amount, keyOf, keyShape, keyText, type NamedKey } from '../shapes.ts';
import { amountText } from '../text/amount.ts';
import { linesText } from '../text/lines.ts';
import { defineTool } from '../tool.ts';
import { ToolFault } from '../tool-fault.ts';

const DOCUMENT = `query McpAlerts(${CONTEXT_VARIABLES}, $alert: String, $first: Int!,
  $after: String) {
  ${CONTEXT_FIELD} {
    alerts {
      ...Rule
      description enabled windowSeconds evaluatedTo probe silencedUntil
      firing { id }
    }
    alertEvents(alert: $alert, first: $first, after: $after) {
      pageInfo { hasNextPage endCursor }
      edges { node {
        startedAt endedAt value peakValue acknowledgedAt acknowledgedBy note
        key { key readable label }
        alert { ...Rule }
      } }
    }
  }
}
fragment Rule on Alert {
  name severity condition comparison
  counterGroup { name }
  meter { name units }
}`;

type Rule = {
  readonly name: string;
  readonly severity: string;
  readonly condition: string;
  readonly comparison: string;
  readonly counterGroup: { readonly name: string };
  readonly meter: { readonly name: string; readonly units: string };
};

type DeclaredRule = Rule & {
  readonly description: string | null;
  readonly enabled: boolean;
  readonly windowSeconds: number;
  readonly evaluatedTo: number | null;
  readonly probe: string | null;
  readonly silencedUntil: number | null;
  readonly firing: readonly object[];
};

type Event = {
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly value: BigNumber;
  readonly peakValue: BigNumber;
  readonly acknowledgedAt: number | null;
  readonly acknowledgedBy: string | null;
  readonly note: string | null;
  readonly key: NamedKey | null;
  readonly alert: Rule;
};

type Watched = {
  readonly alerts: readonly DeclaredRule[];
  readonly alertEvents: {
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly edges: readonly { readonly node: Event }[];
  };
};

const ruleShape = z.object({
  name: z.string(),
  severity: z.string(),
  condition: z.string().describe('When it fires.'),
  counterGroup: z.string(),
  meter: z.string(),
  units: z.string(),
  description: z.string().optional(),
  probe: z.string().optional(),
  enabled: z.boolean(),
  windowSeconds: z.int(),
  evaluatedTo: z.string().nullable().describe('End of the last decided window; null: none yet.'),
  silencedUntil: z.string().optional().describe('Until then, no sink is told of its events.'),
  firing: z.int().describe('How many of its events are firing.'),
});

const eventShape = z.object({
  alert: z.string(),
  severity: z.string(),
  key: z.object(keyShape).nullable().describe('null: it is about the whole group.'),
  startedAt: z.int(),
  startedTime: z.string(),
  endedAt: z.int().nullable().describe('null: it is firing.'),
  endedTime: z.string().nullable(),
  value: amount().describe('What met the condition when it began.'),
  peakValue: amount().describe('The largest since; the smallest, if the total is too low.'),
  units: z.string(),
  acknowledgedTime: z.string().optional().describe('Since when somebody looks after it.'),
  acknowledgedBy: z.string().optional(),
  note: z.string().optional().describe('What they say about it.'),
});

export const alerts = defineTool({
  name: 'alerts',
  title: 'Alerts',
  description:
    'The alert rules of a context, how many of each are firing, and events, newest first: which ' +
    'key, when, and with which value.',
  input: z.strictObject({
    ...CONTEXT_ARGUMENTS,
    alert: text('the name of an alert')
      .optional()
      .describe('Only rules and events with this name.'),
    first: integer(1, LIMITS.mcpItems)
      .default(LIMITS.defaultMcpItems)
      .describe('Maximum number of listed events.'),
    after: text('a cursor').optional().describe('`endCursor` of the previous page.'),
  }),
  output: z.object({
    context: z.string(),
    alerts: z.array(ruleShape),
    firing: z.int().describe('Of all listed rules.'),
    events: z.array(eventShape),
    endCursor: z.string().optional().describe('Only if there are more: pass it as `after`.'),
  }),
  async answer({ alert, first, after, ...choice }, graph) {
    const variables = { ...contextVariables(choice), alert, first, after };
    const { context } = await graph.ask<{ context: Watched | null }>(DOCUMENT, variables);
    if (!context) return noContext(graph, choice.context);
    const { pageInfo, edges } = context.alertEvents;
    const rules = context.alerts.filter(({ name }) => alert === undefined || name === alert);
    const events = edges.map(({ node }) => node);
    // Events of a deleted rule remain for a while.
    if (alert !== undefined && rules.length === 0 && events.length === 0 && after === undefined) {
      const names = context.alerts.map(({ name }) => name);
      const list = names.length === 0 ? 'none' : listText(names);
      throw new ToolFault(`No alert ${shown(alert)}; the alerts are: ${list}`);
    }
    const { hasNextPage, endCursor } = pageInfo;
    const structured = {
      context: choice.context,
      alerts: rules.map(ruleOf),
      firing: rules.reduce((sum, { firing }) => sum + firing.length, 0),
      events: events.map(eventOf),
      ...(hasNextPage && endCursor !== null && { endCursor }),
    };
    const headline = `${rules.length} alerts in ${choice.context}, ${structured.firing} firing`;
    const lines = [headline, ...rules.map(ruleText), ...events.map(eventText)];
    const more = hasNextPage ? [`more events after ${endCursor}`] : [];
    return { structured, text: linesText([...lines, ...more]) };
  },
});

const ruleOf = (rule: DeclaredRule): z.input<typeof ruleShape> => ({
  name: rule.name,
  severity: rule.severity,
  condition: rule.condition,
  counterGroup: rule.counterGroup.name,
  meter: rule.meter.name,
  units: unitsOf(rule),
  ...(rule.description !== null && { description: rule.description }),
  ...(rule.probe !== null && { probe: rule.probe }),
  enabled: rule.enabled,
  windowSeconds: rule.windowSeconds,
  evaluatedTo: rule.evaluatedTo === null ? null : isoTime(rule.evaluatedTo),
  ...(rule.silencedUntil !== null && { silencedUntil: isoTime(rule.silencedUntil) }),
  firing: rule.firing.length,
});

const eventOf = (event: Event): z.input<typeof eventShape> => ({
  alert: event.alert.name,
  severity: event.alert.severity,
  key: event.key && keyOf(event.key),
  startedAt: event.startedAt,
  startedTime: isoTime(event.startedAt),
  endedAt: event.endedAt,
  endedTime: event.endedAt === null ? null : isoTime(event.endedAt),
  value: event.value,
  peakValue: event.peakValue,
  units: unitsOf(event.alert),
  ...(event.acknowledgedAt !== null && { acknowledgedTime: isoTime(event.acknowledgedAt) }),
  ...(event.acknowledgedBy !== null && { acknowledgedBy: event.acknowledgedBy }),
  ...(event.note !== null && { note: event.note }),
});

/** Returns the unit of the values in a rule's events. */
const unitsOf = ({ comparison, meter }: Rule): string =>
  comparison === 'SILENT_SECONDS' ? 'seconds' : meter.units;

function ruleText(rule: DeclaredRule): string {
  const { name, severity, condition, counterGroup, meter, enabled, firing } = rule;
  const state = enabled ? `${firing.length} firing` : 'switched off';
  const about = `${counterGroup.name} by ${meter.name} in ${unitsOf(rule)}`;
  return `rule ${name} (${severity}): ${condition}, ${about}; ${state}`;
}

function eventText({ alert, key, startedAt, endedAt, value, peakValue }: Event): string {
  const units = unitsOf(alert);
  const about = key ? keyText(key) : 'the whole group';
  const span = endedAt === null ? 'still firing' : `until ${isoTime(endedAt)}`;
  const values = `${amountText(value, units)}, peak ${amountText(peakValue, units)}`;
  return `event ${alert.name}: ${about}, from ${isoTime(startedAt)}, ${span}: ${values}`;
}
