import {
  type DocumentNode,
  type GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import { schema } from '../schema.ts';
import { type Cost, NO_COST, plus } from './cost.ts';
import { type CostPlan, type CostStep, planCost, type Variables } from './cost-plan.ts';
import type { GraphQLLimits } from './graphql-limits.ts';
import { limitError } from './limit-error.ts';
import type { PriceSetting } from './prices.ts';

const plans = new WeakMap<DocumentNode, CostPlan>();

/** Returns the error of a limit that the operation exceeds with these variables; null: none. */
export function costFault(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Variables,
  limits: GraphQLLimits,
): GraphQLError | null {
  const operation = getOperationAST(document, operationName);
  if (!operation) return null;
  const cost = rememberedCost(document, operation, variables, limits);
  const rows: readonly (readonly [string, number, number])[] = [
    ['The ids of `nodes`', limits.nodeIds, cost.nodeIds],
    ['The ranks of `percentiles`', limits.percentileRanks, cost.ranks],
    ['The cost of the query', limits.cost, Math.ceil(cost.fixed)],
  ];
  const over = rows.find(([, limit, given]) => given > limit);
  return over ? limitError(...over, operation) : null;
}

type Remembered = {
  readonly variables: string;
  readonly setting: PriceSetting;
  readonly cost: Cost;
};

/** The last cost of each operation: a dashboard sends the same variables again and again. */
const remembered = new WeakMap<OperationDefinitionNode, Remembered>();

function rememberedCost(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Variables,
  setting: PriceSetting,
): Cost {
  const variables = JSON.stringify(given, asText);
  const last = remembered.get(operation);
  if (last?.variables === variables && last.setting === setting) return last.cost;
  const cost = operationCost(document, operation, given, setting);
  remembered.set(operation, { variables, setting, cost });
  return cost;
}

/** Integers of any size are coerced to bigints, which JSON does not have. */
const asText = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}n` : value;

/** Runs in time linear in the size of the document: each fragment is added up once. */
export function operationCost(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  setting: PriceSetting,
): Cost {
  const plan = plans.get(document) ?? planCost(schema, document);
  plans.set(document, plan);
  const fragments = new Map<string, Cost>();
  const costOf = (step: CostStep): Cost => {
    // A missing fragment, or one not added up yet (a cycle), is empty: validation refuses it.
    if (typeof step === 'string') return fragments.get(step) ?? NO_COST;
    const given = step.given(variables);
    return given ? step.price(given, sum(step.below), setting) : NO_COST;
  };
  const sum = (steps: readonly CostStep[]): Cost =>
    steps.reduce((total, step) => plus(total, costOf(step)), NO_COST);
  for (const [name, steps] of plan.fragments) fragments.set(name, sum(steps));
  return sum(plan.operations.get(operation) ?? []);
}
