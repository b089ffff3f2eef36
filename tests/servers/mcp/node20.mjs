// The conformance suite takes `globSync` from Node's own `fs`, which has it since Node 22, for a command that is not used
// here. For Node 20: `node --import node20.mjs` gives the suite, and nothing else, a `fs` that has it too.
import { register } from 'node:module';

const fs = `
    import * as fs from 'node:fs';
    export * from 'node:fs';
    export { default } from 'node:fs';
    export const globSync = fs.globSync;
`;
const hooks = `
    export async function resolve(specifier, context, next) {
        const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/');
        if (isSuite && ['fs', 'node:fs'].includes(specifier))
            return { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(fs)}`)}, shortCircuit: true };
        return next(specifier, context);
    }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
