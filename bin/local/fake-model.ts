import { isJsonObject } from '../../functions/domain/json.ts';
import { type Reply, replies, type Value } from './fake-model-replies.ts';

/** The fields of a ConverseStream request that the fake model reads. */
export type ConverseRequest = {
  messages: { role: 'user' | 'assistant'; content: Block[] }[];
  toolConfig?: { tools?: { toolSpec?: { name: string } }[] };
};
type Block = {
  text?: string;
  toolUse?: { toolUseId: string; name: string; input: unknown };
  toolResult?: { toolUseId: string; content: { text?: string; json?: unknown }[]; status?: string };
};

/** The next response of the fake model: text, tool calls, or both. */
export type Turn = { text?: string; calls?: { name: string; input: object }[] };

/** The user's last message, and the results of the tool calls that follow it. */
type Request = { text: string; results: { name: string; text: string }[] };

export const summarizeRequest = ({ messages }: ConverseRequest): Request => {
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => ({ role, ...block })));
  const last = blocks.findLastIndex(({ role, text }) => role === 'user' && text !== undefined);
  const names = new Map(blocks.map(({ toolUse }) => [toolUse?.toolUseId, toolUse?.name]));
  const results = blocks.slice(last + 1).flatMap(({ toolResult }) => toolResult ?? []);
  return {
    text: blocks[last]?.text ?? '',
    results: results.map(({ toolUseId, content }) => ({
      name: names.get(toolUseId) ?? '',
      text: content.map(({ text, json }) => text ?? JSON.stringify(json)).join('\n'),
    })),
  };
};

/** Returns the next response. It depends only on the conversation. */
export const nextTurn = (conversation: ConverseRequest): Turn => {
  const { text, results } = summarizeRequest(conversation);
  const tools = new Set((conversation.toolConfig?.tools ?? []).flatMap(({ toolSpec }) => toolSpec?.name ?? []));
  const message = text.replace(/\[fake: \w+\]/g, '').trim();
  const reply = replies.find(({ when }) => when.test(message)) as Reply;
  const { tool, ofAgent, input = () => ({}), needs, answer } = reply;
  if (tool === undefined) return { text: answer({}, tools) };
  const last = results.at(-1);
  if (last && isFailure(last.text)) return { text: describeFailure(last.text) };
  if (last?.name === tool) return { text: answer(parse(last.text), tools) };
  if (!tools.has(tool)) return { text: tools.has('listAgents') ? scopeMissing : keyMissing };
  const given = input(message);
  if (!given) return { text: `I need ${needs} for that.` };
  if (!ofAgent) return call(tool, given);
  const listed: Agent[] | undefined = last?.name === 'listAgents' ? parse(last.text).agents : undefined;
  const agentId = findAgentId(message, listed);
  if (!agentId && !listed && tools.has('listAgents')) return call('listAgents', {});
  if (agentId || ofAgent === 'optional') return call(tool, { agentId, ...given });
  const names = (listed ?? []).map(({ name }) => `“${name}”`).join(', ');
  return { text: `Which agent? Write your request again with its name${names && `: ${names}`}.` };
};

const keyMissing = 'For that I need an API key. Enter your key above.';
const scopeMissing = 'Your API key does not allow that: it lacks a scope.';

const call = (name: string, input: object): Turn => ({ calls: [{ name, input }] });

type Agent = { agentId: string; name?: string };

/** Returns the id of the agent that a message names by id or name, or of the user's only agent. */
const findAgentId = (message: string, listed: Agent[] = []): string | undefined => {
  const [agentId] = /\bagent_[0-9A-HJKMNP-TV-Z]{26}\b/.exec(message) ?? [];
  if (agentId) return agentId;
  const nameIndex = ({ name = '' }: Agent) => message.toLowerCase().indexOf(name.toLowerCase());
  // “Reception 2” is not “Reception”, and “Rename A to B” is about A.
  const [named = listed.length === 1 ? listed[0] : undefined] = listed
    .filter((agent) => agent.name && nameIndex(agent) >= 0)
    .sort((a, b) => nameIndex(a) - nameIndex(b) || (b.name?.length ?? 0) - (a.name?.length ?? 0));
  return named?.agentId;
};

const isFailure = (result: string) =>
  /nothing was done|\bdenied\b|^error|^\{"error"|not valid|did not approve/i.test(result.slice(0, 400));

const describeFailure = (result: string) =>
  /nothing was done|denied|approve/i.test(result)
    ? 'Canceled. I changed nothing.'
    : `That did not work: ${result.slice(0, 300)}`;

const parse = (text: string): Value => {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
};
