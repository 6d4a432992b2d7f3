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

/** The user's last message, the results of the tool calls made since, and the message before it if that lacked an agent. */
type Request = { text: string; results: { name: string; text: string }[]; unanswered?: string };

const whichAgent = 'Which agent?';

/** Returns the user's last message with the tool calls, and their results, that follow it. */
export const summarizeRequest = ({ messages }: ConverseRequest): Request => {
  const names = new Map<string, string>();
  let request: Request = { text: '', results: [] };
  let unanswered: string | undefined;
  for (const { role, content } of messages) {
    for (const { text, toolUse, toolResult } of content) {
      if (toolUse) names.set(toolUse.toolUseId, toolUse.name);
      if (toolResult) {
        const result = toolResult.content.map(({ text, json }) => text ?? JSON.stringify(json)).join('\n');
        request.results.push({ name: names.get(toolResult.toolUseId) ?? '', text: result });
      }
      if (text !== undefined && role === 'user') {
        request = { text, results: [], unanswered };
        unanswered = undefined;
      } else if (text?.startsWith(whichAgent)) unanswered = request.text;
    }
  }
  return request;
};

// biome-ignore lint/suspicious/noExplicitAny: tool results have no type here
type Value = Record<string, any>;
type Agent = { agentId: string; name?: string };

/** A reply of the model to a message, with one tool. The first reply whose pattern matches applies. */
type Reply = {
  tool: string;
  when: RegExp;
  /** The tool takes an agent, which the message names, or may name. */
  ofAgent?: true | 'optional';
  /** Returns the tool's input, or undefined if the message lacks what `needs` names. */
  input(message: string): object | undefined;
  needs?: string;
  /** Describes the tool's result: a sentence, and lines below it. */
  describe(result: Value, tools: Set<string>): [sentence: string, lines?: string[]];
};

const needsNumber = 'a phone number, such as +1 415 555 0100';

const replies: Reply[] = [
  {
    tool: 'searchKnowledge',
    when: /^(?!\W*how\b).*(\bknows?\b.*\babout\b|\b(search|find|look up)\b.*\b(websites?|documents?|knowledge|sources?)\b)/i,
    ofAgent: true,
    input: (message) => ({ query: /\b(?:about|for)\s+(.+?)[?.!]?$/i.exec(message)?.[1] ?? message }),
    describe: ({ passages = [] }) =>
      passages.length === 0
        ? ['The knowledge has nothing about that.']
        : ['The knowledge says:', passages.map(({ text, name, url }: Value) => `“${text}” (${url ?? name})`)],
  },
  {
    tool: 'getCallFigures',
    when: /^(?!\W*how (do|can)\b)(?!.*\bcan I\b).*\b(how many|how much|count|figures?|sum|total|worth|earned)\b.*\b(calls|outcomes|earn(ed)?|make|made|worth)\b|\bcalls cost\b/i,
    ofAgent: 'optional',
    input: () => ({ by: 'outcome' }),
    describe: ({ rows = [], totals = {}, pending }) => [
      `In the last 30 days there were ${totals.calls} calls, worth ${totals.value} in all.${costs(totals)}${pending ? ' Some that have just changed are not counted yet.' : ''}`,
      rows.map(({ outcome, calls, value }: Value) => `**${outcome ?? 'no outcome'}**: ${calls}, worth ${value}`),
    ],
  },
  {
    tool: 'searchDocumentation',
    when: /^\W*(how|why|where|what (is|are|does)|which (operation|endpoint|field|error))\b(?!.*\b(blocked|my|websites?|documents?)\b)/i,
    input: (message) => ({ query: message.slice(0, 300) }),
    describe: ({ topics = [] }) => {
      const [best, ...others] = topics as Value[];
      if (!best) return ['I found nothing about that in the documentation.'];
      const more = others.length > 0 ? '\n\nRelated topics:' : '';
      return [`I found this in the documentation.\n\n**${topic(best)}**\n\n${best.text}${more}`, others.map(topic)];
    },
  },
  {
    tool: 'isNumberBlocked',
    when: /\b(is|are|was)\b.*\bblocked\b|\bblocked\?/i,
    ofAgent: true,
    input: (message) => ofFirst(matchNumbers(message), (number) => ({ number })),
    needs: needsNumber,
    describe: ({ number, blocked }) => [`\`${number}\` is ${blocked ? 'blocked' : 'not blocked'}.`],
  },
  {
    tool: 'blockNumbers',
    when: /\bblock\b/i,
    ofAgent: true,
    input: (message) => {
      const [, reason] = /\bbecause\s+(.+?)[.!]?$/i.exec(message) ?? [];
      return ofFirst(matchNumbers(message), () => ({ numbers: matchNumbers(message), ...(reason && { reason }) }));
    },
    needs: needsNumber,
    describe: ({ added = [], failed = [] }) => [
      added.length > 0 ? `Done. I blocked ${added.join(', ')}.` : 'I blocked no number.',
      failed.map(({ number, reason }: Value) => `${number}: ${reason}`),
    ],
  },
  {
    tool: 'addWebsite',
    when: /https?:\/\//i,
    ofAgent: true,
    input: (message) => ({ url: /https?:\/\/[^\s"'<>)]+/.exec(message)?.[0]?.replace(/[.,;]$/, '') }),
    describe: ({ websiteId }) => [`Done. The website \`${websiteId}\` is being crawled.`],
  },
  {
    tool: 'duplicateAgent',
    when: /\b(duplicate|copy|clone)\b/i,
    ofAgent: true,
    input: (message) => ({ name: matchName(message) }),
    describe: (copy) => [`Done. I copied the agent to ${agent(copy)}.`],
  },
  {
    tool: 'updateAgent',
    when: /\b(rename|update|change|set)\b.*\bto\b/i,
    ofAgent: true,
    input: matchChange,
    needs: 'what to change, as in “Change the greeting of Reception to "Hello"” or “Rename Reception to Front office”,',
    describe: (changed) => [`Done. I updated ${agent(changed)}.`],
  },
  {
    tool: 'createAgent',
    when: /\b(create|make|add|set up)\b.*\b(agent|it|one)\b/i,
    input: buildDraft,
    describe: (created) => [`Done. I created ${agent(created)}.`],
  },
  {
    tool: 'draftAgent',
    when: /\b(create|make|draft|build|design|suggest|set up|new)\b/i,
    input: buildDraft,
    describe: ({ agent, problems = [], advice = [] }, tools) => [
      `Here is a draft of **${agent?.name}**. ${tools.has('createAgent') ? `To store it, write “Create an agent called ${agent?.name}”.` : 'With an API key I can create it.'}`,
      [
        ...formatConfiguration(agent),
        ...problems.map(({ path, message }: Value) => `Error: \`${path}\` ${message}`),
        ...advice.map(({ path, message }: Value) => `Warning: \`${path}\` ${message}`),
      ],
    ],
  },
  {
    tool: 'listKnowledge',
    when: /\b(websites?|documents?|knowledge|sources?)\b/i,
    ofAgent: true,
    input: () => ({}),
    describe: ({ websites = [], documents = [] }) => {
      const sources = [...websites, ...documents].map(
        ({ name, url, type, status }: Value) => `**${name}** (${url ?? type}): ${status}`,
      );
      return sources.length === 0
        ? ['The agent has no websites and no documents yet.']
        : [`The agent has ${count(sources, 'knowledge source')}:`, sources];
    },
  },
  {
    tool: 'listCalls',
    when: /\b(my|recent|latest|last|list|show|which|what)\b.*\bcalls?\b/i,
    ofAgent: true,
    input: (message) => ofFirst(matchNumbers(message), (phone) => ({ phone })) ?? {},
    describe: ({ calls = [] }) =>
      calls.length === 0
        ? ['There are no calls yet.']
        : [`The latest calls are:\n\n${formatTable(calls.slice(0, 10))}`],
  },
  {
    tool: 'listAgents',
    when: /\b(my|list|show|which|what)\b.*\bagents?\b/i,
    input: () => ({}),
    describe: ({ agents = [] }) =>
      agents.length === 0
        ? ['You have no agent yet. Ask me to create one.']
        : [`You have access to ${count(agents, 'agent')}:`, agents.map(agent)],
  },
  {
    tool: 'checkNumbers',
    when: /\d/,
    input: (message) => ofFirst(matchNumbers(message), () => ({ numbers: matchNumbers(message) })),
    needs: needsNumber,
    describe: ({ numbers = [] }) => [
      'I checked the numbers:',
      numbers.map(({ given, valid, number, problem }: Value) =>
        valid ? `${given} is valid: \`${number}\`.` : `${given} is not valid. ${problem}`,
      ),
    ],
  },
];

const greeting = /^\W*(hi|hello|hey|good (morning|day|evening)|thanks|thank you)\b/i;
/** Requests that no tool serves, each with an answer that names an alternative. */
const withoutTool: [when: RegExp, answer: string][] = [
  [
    /^(?!\W*how\b).*\b(delete|remove|erase|unblock)\b/i,
    'I cannot delete or remove anything: the chat has no tool for that. The API has: ask me “How do I delete an agent?”.',
  ],
  [
    /^(?!\W*how\b).*\b(set|change|update)\b.*\boutcome\b/i,
    'I cannot set outcomes: the chat has no tool for that. The API has: ask me “How do I set the outcome of a call?”.',
  ],
];

/** Returns the next response. It depends only on the conversation. */
export const nextTurn = (conversation: ConverseRequest): Turn => {
  const { text, results, unanswered } = summarizeRequest(conversation);
  const tools = new Set((conversation.toolConfig?.tools ?? []).flatMap(({ toolSpec }) => toolSpec?.name ?? []));
  const said = text.replace(/\[fake: \w+\]/g, '').trim();
  const message = unanswered && !replyTo(said) ? `${said}: ${unanswered}` : said;
  if (greeting.test(message))
    return {
      text: `Hello! I am a fake model for local use: my answers are canned, my tools are real. ${abilities(tools)}`,
    };
  const [, refusal] = withoutTool.find(([when]) => when.test(message)) ?? [];
  if (refusal) return { text: refusal };
  const reply = replyTo(message);
  if (!reply) return { text: `I am a fake model, and I do not understand this. ${abilities(tools)}` };

  const last = results.at(-1);
  if (last && isFailure(last.text)) return { text: describeFailure(last.text) };
  if (last?.name === reply.tool) {
    const [sentence, lines = []] = reply.describe(parse(last.text), tools);
    return { text: lines.length > 0 ? `${sentence}\n\n${lines.map((line) => `- ${line}`).join('\n')}` : sentence };
  }
  if (!tools.has(reply.tool)) {
    return {
      text: tools.has('listAgents')
        ? 'Your API key does not allow that: it lacks a scope.'
        : 'For that I need an API key. Enter your key above.',
    };
  }
  const input = reply.input(message);
  if (!input) return { text: `I need ${reply.needs} for that.` };
  if (!reply.ofAgent) return call(reply, input);
  const listed = last?.name === 'listAgents' ? (parse(last.text).agents as Agent[]) : undefined;
  const meant = findAgent(message, listed);
  if (meant) return call(reply, { agentId: meant.agentId, ...input });
  if (!listed && tools.has('listAgents')) return { calls: [{ name: 'listAgents', input: {} }] };
  if (reply.ofAgent === 'optional') return call(reply, input);
  const names = (listed ?? []).map(({ name }) => `“${name}”`).join(', ');
  return { text: `${whichAgent} Write its name${names && `: ${names}`}.` };
};

const replyTo = (message: string) => replies.find(({ when }) => when.test(message));

const call = ({ tool: name }: Reply, input: object): Turn => ({ calls: [{ name, input }] });

/** Returns the agent that a message names by its id or its name, or the user's only one. */
const findAgent = (message: string, listed: Agent[] | undefined): Agent | undefined => {
  const [agentId] = /\bagent_[0-9A-HJKMNP-TV-Z]{26}\b/.exec(message) ?? [];
  if (agentId) return { agentId };
  const nameIndex = ({ name = '' }: Agent) => message.toLowerCase().indexOf(name.toLowerCase());
  // “Reception 2” is not “Reception”, and “Rename A to B” is about A.
  const named = (listed ?? [])
    .filter((agent) => agent.name && nameIndex(agent) >= 0)
    .sort((a, b) => nameIndex(a) - nameIndex(b) || (b.name?.length ?? 0) - (a.name?.length ?? 0));
  return named[0] ?? (listed?.length === 1 ? listed[0] : undefined);
};

const matchNumbers = (message: string): string[] =>
  (message.match(/\+?\(?\d[\d\s().-]{5,}\d/g) ?? []).map((number) => number.trim());

const ofFirst = <T>([first]: string[], make: (first: string) => T): T | undefined =>
  first === undefined ? undefined : make(first);

const matchName = (message: string): string | undefined =>
  /\b(?:called|named)\s+["“‘']?([^"”’'.,;:!?\n]{1,60})/i.exec(message)?.[1]?.trim() ??
  /["“]([^"”]{1,60})["”]/.exec(message)?.[1];

function buildDraft(message: string) {
  const purpose = /\bfor (?:an?|the|my|our) ([\w -]{2,40})/i.exec(message)?.[1]?.trimEnd();
  const name = matchName(message) ?? (purpose ? purpose.charAt(0).toUpperCase() + purpose.slice(1) : 'Front desk');
  return {
    name,
    configuration: {
      greeting: `Hello, this is ${name}. How can I help you?`,
      instructions: `You answer the phone for ${name}. Be brief and friendly. Ask for the caller’s name and what they need.`,
      language: 'en-US',
    },
  };
}

/** Returns the change of an agent that a message asks for: a new name, or a field of the configuration. */
function matchChange(message: string): object | undefined {
  const [, verb = '', about = '', value] =
    /\b(rename|update|change|set)\b(.*?)\bto\s+["“‘']?(.+?)["”’']?[.!]?$/i.exec(message) ?? [];
  if (value === undefined) return undefined;
  if (/rename/i.test(verb) || /\bname\b/i.test(about)) return { name: value };
  const field = ['greeting', 'instructions', 'voice', 'language', 'model', 'timeZone'].find((name) =>
    about
      .toLowerCase()
      .replace(/time zone/, 'timezone')
      .includes(name.toLowerCase()),
  );
  return field ? { configuration: { [field]: value } } : undefined;
}

const isFailure = (result: string) =>
  /nothing was done|\bdenied\b|^error|^\{"error"|not valid|did not approve/i.test(result.slice(0, 400));

const describeFailure = (result: string) =>
  /nothing was done|denied|approve/i.test(result)
    ? 'Canceled. I changed nothing.'
    : `That did not work: ${result.slice(0, 300)}`;

/** Returns a table of calls, in Markdown. */
const formatTable = (calls: Value[]): string => {
  const rows = calls.map(({ startedAt, direction, phone, durationSeconds, status, custom_call_outcome: outcome }) => [
    startedAt.slice(0, 16).replace('T', ' '),
    direction,
    phone ?? 'withheld',
    durationSeconds === undefined
      ? ''
      : `${Math.floor(durationSeconds / 60)}\u00a0min ${Math.round(durationSeconds % 60)}\u00a0s`,
    status ?? '',
    outcome ?? '',
  ]);
  const head = ['Start (UTC)', 'Direction', 'Number', 'Duration', 'Status', 'Outcome'];
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
};

const costs = ({ cost = {} }: Value): string => {
  const sums = Object.entries(cost).map(([currency, sum]) => `${sum} ${currency}`);
  return sums.length > 0 ? ` They cost ${sums.join(' and ')}.` : '';
};
const topic = ({ title, page }: Value) => `[${title}](${page})`;
const agent = ({ name, agentId }: Value) => `**${name}** (\`${agentId}\`)`;
const formatConfiguration = ({ configuration = {} }: Value = {}) =>
  Object.entries(configuration).map(
    ([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
const count = (items: unknown[], one: string) => `${items.length} ${items.length === 1 ? one : `${one}s`}`;

const parse = (text: string): Value => {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
};

/** Lists the requests that the model understands. */
const abilities = (tools: Set<string>): string =>
  [
    'I can',
    '',
    '- search the documentation: “How do I block a number?”',
    '- draft an agent: “Draft a receptionist for a dentist”',
    '- check phone numbers: “Check +1 (415) 555-0100”',
    ...(tools.has('listAgents')
      ? [
          '- list your agents and their calls: “Show my agents”, “Show the calls of the Front desk”',
          '- count calls, by outcome: “How many calls did I have?”',
          '- search what an agent knows: “What does the Front desk know about opening hours?”',
          '- create and change things after your approval: “Create an agent called Reception”, “Block +14155550123 for Reception because of spam”',
        ]
      : ['', 'With an API key I can also list your agents and, after your approval, create and change them.']),
  ].join('\n');
