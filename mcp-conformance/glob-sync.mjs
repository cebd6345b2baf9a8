import { register } from 'node:module';

/**
 * For `node --import`. The suite imports `globSync` from `fs`, which Node has since version 22, for
 * a command that is not used here; without it no command of the suite starts on Node 20.
 */
const FS = `
  export * from 'node:fs';
  export { default } from 'node:fs';
  export const globSync = () => {
    throw new Error('globSync is not there');
  };
`;

const HOOKS = `
  const url = 'data:text/javascript,' + encodeURIComponent(${JSON.stringify(FS)});
  export const resolve = (specifier, context, next) =>
    specifier === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')
      ? { url, format: 'module', shortCircuit: true }
      : next(specifier, context);
`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
