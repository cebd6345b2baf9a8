/** A document of GraphQL, and the values of its variables. */
export type WrittenQuery = {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
};

/** The type and the value of each variable; those without a value are not written. */
export type GivenVariables = Readonly<Record<string, readonly [type: string, value: unknown]>>;

/** Writes the arguments of a field whose variables, of the same names or these, are given. */
export type WriteArguments = (names: readonly (string | readonly [string, string])[]) => string;

const MOST_COLUMNS = 72;

/** Writes a query as people would: nothing in it is without effect. */
export function writtenQuery(
  name: string,
  given: GivenVariables,
  bodyOf: (args: WriteArguments) => string,
): WrittenQuery {
  const used = Object.entries(given).filter(([, [, value]]) => value !== null && value !== false);
  const isUsed = (variable: string) => used.some(([each]) => each === variable);
  const args: WriteArguments = (names) => {
    const pairs = names.map((each) => (typeof each === 'string' ? ([each, each] as const) : each));
    const written = pairs
      .filter(([, variable]) => isUsed(variable))
      .map(([argument, variable]) => `${argument}: $${variable}`);
    return written.length > 0 ? `(${written.join(', ')})` : '';
  };
  const declared = used.map(([variable, [type]]) => `$${variable}: ${type}`).join(', ');
  const text = `query ${name}(${declared}) {\n${bodyOf(args)}\n}`;
  return {
    document: text.split('\n').map(brokenLine).join('\n'),
    variables: Object.fromEntries(used.map(([variable, [, value]]) => [variable, value])),
  };
}

/** Puts each argument of a line that is too long on a line of its own. */
function brokenLine(line: string): string {
  const [, indent = '', head = '', list = '', tail = ''] =
    /^( *)([^(]*\()([^)]*)(\).*)$/.exec(line) ?? [];
  if (line.length <= MOST_COLUMNS || list === '') return line;
  const each = list.split(', ').map((part) => `${indent}  ${part}`);
  return [indent + head, ...each, indent + tail].join('\n');
}
