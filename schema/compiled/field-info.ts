import type {
  FieldNode,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import { addPath, type Path } from './collected-errors.ts';
import type { FieldPlan, Run } from './field-plan.ts';

/** What a resolver may read about its field. Most read nothing, so it is computed on access. */
export class FieldInfo implements GraphQLResolveInfo {
  readonly #run: Run;
  readonly #field: FieldPlan;
  readonly #parent: Path | undefined;

  constructor(run: Run, field: FieldPlan, parent: Path | undefined) {
    this.#run = run;
    this.#field = field;
    this.#parent = parent;
  }

  get fieldName(): string {
    return this.#field.definition.name;
  }

  get fieldNodes(): readonly FieldNode[] {
    return this.#field.nodes;
  }

  get returnType(): GraphQLOutputType {
    return this.#field.definition.type;
  }

  get parentType(): GraphQLObjectType {
    return this.#field.parentType;
  }

  get path(): Path {
    return addPath(this.#parent, this.#field.name, this.#field.parentType.name);
  }

  get schema(): GraphQLSchema {
    return this.#run.document.schema;
  }

  get fragments(): GraphQLResolveInfo['fragments'] {
    return this.#run.document.fragments;
  }

  get rootValue(): unknown {
    return this.#run.rootValue;
  }

  get operation(): OperationDefinitionNode {
    return this.#run.document.operation;
  }

  get variableValues(): GraphQLResolveInfo['variableValues'] {
    return this.#run.variables;
  }
}
