import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import type {
  DirectivePlan,
  DocumentPlan,
  FieldPlan,
  FragmentPlan,
  SelectionPlan,
  ValuePlan,
  VariablePlan,
} from './document-plan.ts';

/** A request as it is sent, without its credentials. */
export type RandomDocument = {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
};

type Variable = { readonly name: string; readonly type: string; readonly declaration: string };

type Fragment = { readonly name: string; readonly on: string };

/** What one operation needs so far. */
type Needs = {
  readonly variables: Variable[];
  readonly given: Record<string, unknown>;
  /** Only those already written: a fragment must not contain itself. */
  readonly fragments: Fragment[];
  readonly texts: string[];
};

/** The names that the whole document has used. */
type Names = {
  count: number;
  /** By the name in the answer, the field and arguments it stands for. */
  readonly answers: Map<string, string>;
};

export function writeDocument({ operations, isNamed, chosen }: DocumentPlan): RandomDocument {
  const names: Names = { count: 0, answers: new Map() };
  const written = operations.map((selections, i) => {
    const needs: Needs = { variables: [], given: {}, fragments: [], texts: [] };
    const body = writeSelections(selections, needs, names);
    const name = isNamed || operations.length > 1 ? `Q${i}` : null;
    const declared = needs.variables.map(({ declaration }) => declaration).join(', ');
    const head = declared === '' ? (name ?? '') : `${name ?? ''}(${declared})`;
    const text = head === '' ? body : `query ${head} ${body}`;
    return { name, text: [text, ...needs.texts].join('\n'), variables: needs.given };
  });
  const run = written[chosen % written.length];
  return {
    query: written.map(({ text }) => text).join('\n'),
    operationName: run?.name ?? null,
    variables: run?.variables ?? {},
  };
}

const writeSelections = (
  selections: readonly SelectionPlan[],
  needs: Needs,
  names: Names,
): string => {
  const lines = selections.map((each) =>
    each.kind === 'field' ? writeField(each, needs, names) : writeFragment(each, needs, names),
  );
  return `{ ${lines.join(' ')} }`;
};

function writeField(plan: FieldPlan, needs: Needs, names: Names): string {
  const { field, selections } = plan;
  const args = plan.args.map(([name, value]) => `${name}: ${writeValue(value, needs, names)}`);
  const call = args.length === 0 ? field.name : `${field.name}(${args.join(', ')})`;
  const name = answerName(plan.alias ?? field.name, `${call}: ${field.type}`, names);
  const shown = name === field.name ? call : `${name}: ${call}`;
  const body = selections.length === 0 ? '' : ` ${writeSelections(selections, needs, names)}`;
  return `${shown}${writeDirectives(plan.directives, needs, names)}${body}`;
}

/**
 * GraphQL, "Field selection merging": selections with the same name in the answer must have the
 * same field, arguments and type. Here that holds for the whole document, which is stricter.
 */
function answerName(wanted: string, field: string, names: Names): string {
  const known = names.answers.get(wanted);
  if (known === field) return wanted;
  if (known !== undefined) return answerName(`${wanted}_${next(names)}`, field, names);
  names.answers.set(wanted, field);
  return wanted;
}

function writeFragment(plan: FragmentPlan, needs: Needs, names: Names): string {
  const { on, isNamed, mayBeShared } = plan;
  const directives = writeDirectives(plan.directives, needs, names);
  if (on === null || !isNamed) {
    const condition = on === null ? '' : ` on ${on}`;
    return `...${condition}${directives} ${writeSelections(plan.selections, needs, names)}`;
  }
  const known = mayBeShared && needs.fragments.find((fragment) => fragment.on === on);
  if (known) return `...${known.name}${directives}`;
  const name = `F${next(names)}`;
  needs.texts.push(`fragment ${name} on ${on} ${writeSelections(plan.selections, needs, names)}`);
  needs.fragments.push({ name, on });
  return `...${name}${directives}`;
}

const writeDirectives = (
  directives: readonly DirectivePlan[],
  needs: Needs,
  names: Names,
): string =>
  directives
    .map(({ name, if: value }) => ` @${name}(if: ${writeValue(value, needs, names)})`)
    .join('');

function writeValue(plan: ValuePlan, needs: Needs, names: Names): string {
  switch (plan.kind) {
    case 'literal':
      return literal(plan.value, plan.type);
    case 'list':
      return `[${plan.items.map((item) => writeValue(item, needs, names)).join(', ')}]`;
    case 'object': {
      const fields = plan.fields.map(([name, value]) => [name, writeValue(value, needs, names)]);
      return `{ ${fields.map(([name, value]) => `${name}: ${value}`).join(', ')} }`;
    }
    case 'variable':
      return `$${declare(plan, needs, names).name}`;
    default:
      return plan satisfies never;
  }
}

function declare(plan: VariablePlan, needs: Needs, names: Names): Variable {
  const { fallback, given } = plan;
  const type = String(plan.type);
  // A default lets a nullable variable stand where the position alone would not: only a variable
  // that has one too may be reused.
  const withDefault = fallback === undefined ? type : `${type} =`;
  const known =
    plan.mayBeShared && needs.variables.find((variable) => variable.type === withDefault);
  if (known) return known;
  const name = `v${next(names)}`;
  const end = fallback === undefined ? '' : ` = ${literal(fallback, plan.type)}`;
  const variable = { name, type: withDefault, declaration: `$${name}: ${type}${end}` };
  needs.variables.push(variable);
  if (given !== undefined) needs.given[name] = given;
  return variable;
}

/** JSON as it is written in a document, where enum values have no quotes. */
function literal(value: unknown, given: GraphQLInputType): string {
  const type = getNullableType(given);
  if (value === null) return 'null';
  if (isListType(type)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return `[${items.map((item) => literal(item, type.ofType)).join(', ')}]`;
  }
  if (isInputObjectType(type)) {
    const fields = type.getFields();
    const entries = Object.entries(value ?? {}).flatMap(([name, item]) => {
      const field = fields[name];
      return field ? [`${name}: ${literal(item, field.type)}`] : [];
    });
    return `{ ${entries.join(', ')} }`;
  }
  return isEnumType(type) ? String(value) : JSON.stringify(value);
}

function next(names: Names): number {
  names.count += 1;
  return names.count;
}
