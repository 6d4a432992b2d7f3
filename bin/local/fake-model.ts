import { isJsonObject } from '../../functions/domain/json.ts';

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

// biome-ignore lint/suspicious/noExplicitAny: tool results have no type here
type Value = Record<string, any>;

/** How the fake model replies to a message. */
type Reply = {
  when: RegExp;
  /** The tool that it calls. Without one, it answers at once. */
  tool?: string;
  /** The tool takes the agent that the message names, or the user's only one. */
  ofAgent?: true;
  /** Returns the tool's input, from the match of `when`. Default: no input. */
  input?(match: RegExpExecArray): object;
  /** Returns the answer to the result of the tool. */
  answer(result: Value): string;
};

const abilities = `I can

- search the documentation: “How do I block a number?”
- draft an agent: “Draft a receptionist for a dentist”
- check phone numbers: “Check +1 (415) 555-0100”
- with an API key: “Show my agents”, “Show the calls of the Front desk”, “How many calls were there last week?”
- after your approval: “Create an agent called Reception”, “Change the greeting of Reception to "Hello!"”, “Block +14155550123 for Reception”`;

/** The replies, of which the first one whose pattern matches applies. The last one matches every message. */
const replies: Reply[] = [
  {
    when: /^\W*(hi|hello|hey|thanks|thank you)\b/i,
    answer: () => `Hello! I am a fake model for local use: my answers are canned, my tools are real. ${abilities}`,
  },
  {
    tool: 'getCallFigures',
    when: /\blast week\b/i,
    input: () => listLastWeek(),
    answer: ({ totals: { calls = 0, withOutcome = 0, value = 0, valueCurrency = '' } = {} }) =>
      `There were ${calls} calls last week, from Monday to Sunday (UTC). ${withOutcome} of them had an outcome, worth ${`${value} ${valueCurrency}`.trim()}.`,
  },
  {
    tool: 'searchDocumentation',
    when: /^\W*(how|why|where|what (is|are|does))\b/i,
    input: ({ input }) => ({ query: input.slice(0, 300) }),
    answer({ topics = [] }) {
      const [best, ...others] = topics as Value[];
      if (!best) return 'I found nothing about that in the documentation.';
      const found = `I found this in the documentation.\n\n**${linkTopic(best)}**\n\n${best.text}`;
      return others.length > 0 ? list(`${found}\n\nRelated topics:`, others, linkTopic) : found;
    },
  },
  {
    tool: 'updateAgent',
    when: /\bchange the (greeting|instructions|voice|language) of .+? to ["“]?(.+?)["”]?$/i,
    ofAgent: true,
    input: ([, field = '', value]) => ({ configuration: { [field.toLowerCase()]: value } }),
    answer: (changed) => `Done. I updated ${describeAgent(changed)}.`,
  },
  {
    tool: 'blockNumbers',
    when: /\bblock\b.*\d/i,
    ofAgent: true,
    input: ({ input }) => ({ numbers: findNumbers(input) }),
    answer: ({ added = [], failed }) =>
      list(`I blocked ${added.join(', ') || 'no number'}.`, failed, ({ number, reason }) => `${number}: ${reason}`),
  },
  {
    tool: 'createAgent',
    when: /\bcreate\b.*\bcalled ["“]?([^"”.,\n]{1,60})/i,
    input: ([, name = '']) => draft(name),
    answer: (created) => `Done. I created ${describeAgent(created)}.`,
  },
  {
    tool: 'draftAgent',
    when: /\bdraft\b(?:.*["“](.{1,60}?)["”])?/i,
    input: ([, name = 'Front desk']) => draft(name),
    answer: ({ agent: { name, configuration = {} } = {}, problems = [], advice = [] }) =>
      list(
        `Here is a draft of **${name}**. With an API key I can create it: “Create an agent called ${name}”.`,
        [...Object.entries(configuration), ...[...problems, ...advice].map(({ path, message }) => [path, message])],
        ([path, value]) => `${path}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ),
  },
  {
    tool: 'listCalls',
    when: /\bcalls\b/i,
    ofAgent: true,
    answer: ({ calls = [] }) =>
      list(
        'The latest calls are:',
        calls.slice(0, 10),
        ({ startedAt, direction, phone, status, custom_call_outcome }) =>
          [startedAt.slice(0, 16).replace('T', ' '), direction, phone, status, custom_call_outcome]
            .filter(Boolean)
            .join(', '),
      ),
  },
  {
    tool: 'listAgents',
    when: /\bagents\b/i,
    answer: ({ agents = [] }) =>
      list(`You have access to ${agents.length} agent${agents.length === 1 ? '' : 's'}:`, agents, describeAgent),
  },
  {
    tool: 'checkNumbers',
    when: /\d{3}/,
    input: ({ input }) => ({ numbers: findNumbers(input) }),
    answer: ({ numbers }) =>
      list('I checked the numbers:', numbers, ({ given, valid, number, problem }) =>
        valid ? `${given} is valid: \`${number}\`.` : `${given} is not valid. ${problem}`,
      ),
  },
  { when: /^/, answer: () => `I am a fake model, and I do not understand this. ${abilities}` },
];

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

/** Returns the next response. It depends only on the conversation, and on the day where this names a week. */
export const nextTurn = (conversation: ConverseRequest): Turn => {
  const { text, results } = summarizeRequest(conversation);
  const tools = new Set((conversation.toolConfig?.tools ?? []).flatMap(({ toolSpec }) => toolSpec?.name ?? []));
  const message = text.replace(/\[fake: \w+\]/g, '').trim();
  const { when, tool, ofAgent, input, answer } = replies.find((reply) => reply.when.test(message)) as Reply;
  const last = results.at(-1);
  if (tool === undefined) return { text: answer({}) };
  if (last && isFailure(last.text)) return { text: describeFailure(last.text) };
  if (last?.name === tool) return { text: answer(parse(last.text)) };
  if (!tools.has(tool)) return { text: 'Your API key does not allow that, or you have not entered one above.' };
  const given = input?.(when.exec(message) as RegExpExecArray) ?? {};
  if (!ofAgent) return call(tool, given);
  if (last?.name !== 'listAgents') return call('listAgents', {});
  const agentId = findAgentId(message, parse(last.text).agents);
  return agentId ? call(tool, { agentId, ...given }) : { text: 'Which agent? Write your request again with its name.' };
};

const call = (name: string, input: object): Turn => ({ calls: [{ name, input }] });

/** Returns the id of the agent that a message names, or of the user's only agent. */
const findAgentId = (message: string, listed: Value[] = []): string | undefined =>
  (listed.length === 1 ? listed[0] : listed.find(({ name }) => message.includes(name)))?.agentId;

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

const draft = (name: string) => ({
  name,
  configuration: {
    greeting: `Hello, this is ${name}. How can I help you?`,
    instructions: `You answer the phone for ${name}. Be brief and friendly. Ask for the caller’s name and what they need.`,
    language: 'en-US',
  },
});

/** Returns a sentence with a list below it, in Markdown. */
const list = <Item = Value>(sentence: string, items: Item[] = [], format: (item: Item) => string): string =>
  items.length > 0 ? `${sentence}\n\n${items.map((item) => `- ${format(item)}`).join('\n')}` : sentence;

/** Returns the days of the calendar week before this one, in UTC. */
const listLastWeek = () => {
  const dayMilliseconds = 24 * 60 * 60 * 1000;
  const monday = Date.now() - ((new Date().getUTCDay() + 6) % 7) * dayMilliseconds;
  const [from, to] = [monday - 7 * dayMilliseconds, monday].map((at) => new Date(at).toISOString().slice(0, 10));
  return { from, to };
};

const findNumbers = (message: string) =>
  (message.match(/\+?\(?\d[\d\s().-]{5,}\d/g) ?? []).map((number) => number.trim());

const linkTopic = ({ title, page }: Value) => `[${title}](${page})`;
const describeAgent = ({ name, agentId }: Value) => `**${name}** (\`${agentId}\`)`;
