import type { z } from 'zod';
import { readArguments } from './arguments/read-arguments.ts';
import type { Graph } from './graph.ts';

/** An answer in structured form for programs, and the same as text for readers. */
export type ToolAnswer<Content> = {
  readonly structured: Content;
  readonly text: string;
};

export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Errors: `ToolFault` for wrong arguments, `GraphFault` for a query that has no answer. */
  readonly call: (given: unknown, graph: Graph) => Promise<ToolAnswer<object>>;
};

type ToolShape<Input extends z.ZodObject, Output extends z.ZodObject> = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly answer: (given: z.output<Input>, graph: Graph) => Promise<ToolAnswer<z.input<Output>>>;
};

/** Defines a tool whose arguments are checked before it runs. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  answer,
  ...shape
}: ToolShape<Input, Output>): Tool {
  return {
    ...shape,
    call: (given, graph) => answer(readArguments(shape.input, given), graph),
  };
}
