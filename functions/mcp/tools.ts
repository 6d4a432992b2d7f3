import * as z from 'zod/mini';
import type { KeyOwner, OwnApi, OwnResponse } from '../clients/own-api.ts';
import { Scope } from '../domain/api-keys.ts';
import { ApiError, invalidApiKey } from '../domain/errors.ts';
import { isJsonObject } from '../domain/json.ts';
import { environment } from '../environment.ts';
import type { OperationTool } from '../openapi/operations.ts';
import toolsJson from '../openapi/tools.json' with { type: 'json' };
import { callOperation, operations } from '../operations/call-operation.ts';
import { wholeService } from '../service.ts';
import { type Fields, McpError } from './messages.ts';

/** Maximum size of a result that is repeated as text: a response of Lambda has at most 6 MB. */
const maxTextUnits = 1024 * 1024;

/** The groups of tools that an address may choose: those of a scope, and `read` for those that change nothing. */
export const ToolGroup = z.enum([...Scope.options, 'read']);
type ToolGroup = z.infer<typeof ToolGroup>;

/** The operations as tools. Those that delete are included only where the deployment allows it. */
export class McpTools {
  readonly #tools: readonly OperationTool[];

  constructor({ deletes }: { deletes: boolean }, tools = toolsJson as unknown as OperationTool[]) {
    this.#tools = tools.filter(({ name }) => deletes || !operations[name]?.deletes);
  }

  /** Returns the tools of these groups alone. A tool that any key may use is in all of them. */
  within(groups: ToolGroup[]): McpTools {
    const scopes = groups.filter((group) => group !== 'read');
    const chosen = this.#tools.filter(({ name, annotations }) => {
      const scope = operations[name]?.scope;
      const isInScopes = scope === undefined || scopes.length === 0 || scopes.includes(scope);
      return isInScopes && (annotations.readOnlyHint || !groups.includes('read'));
    });
    return new McpTools({ deletes: true }, chosen);
  }

  /** Returns the tools that a key's scopes allow, sorted by name. */
  list({ scopes }: KeyOwner): OperationTool[] {
    return this.#tools.filter(({ name }) => {
      const scope = operations[name]?.scope;
      return scope === undefined || scopes.includes(scope);
    });
  }

  /** Calls a tool: sends its request with the caller's key. An error of the API is a result as well. */
  async call(
    { api, apiKey }: { api: OwnApi; apiKey: string },
    { name, arguments: args = {} }: Fields,
    uidOfKey: () => Promise<string>,
  ): Promise<Fields> {
    const tool = this.#tools.find((one) => one.name === name);
    if (!tool) throw new McpError('invalidParams', `Unknown tool: ${name}`, { status: 200 });
    if (!isJsonObject(args)) throw new McpError('invalidParams', 'arguments must be an object.', { status: 200 });
    try {
      const uid = operations[tool.name]?.uid && (await uidOfKey());
      return toResult(await callOperation(api, apiKey, { name: tool.name, args, uid }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'invalid_api_key') throw error;
      const { code, message, details, status } = error;
      return toResult({ status, body: { error: code, message, ...(details && { details }) } });
    }
  }
}

/** Returns the result of a tool from the response of its operation. An invalid key is a 401 instead. */
const toResult = ({ status, body }: OwnResponse): Fields => {
  if (body.error === 'invalid_api_key') throw invalidApiKey();
  const text = JSON.stringify(body);
  const shown = text.length > maxTextUnits ? `The result has ${text.length} characters: see structuredContent.` : text;
  return { content: [{ type: 'text', text: shown }], structuredContent: body, isError: status >= 400 };
};

export const mcpTools = /* @__PURE__ */ wholeService(() => new McpTools({ deletes: environment.mcpDeletes }));
