/** The fields of a ConverseStream request that the fake model reads. */
export type ConverseRequest = {
  messages: { role: 'user' | 'assistant'; content: Block[] }[];
  toolConfig?: { tools?: { toolSpec?: Tool }[] };
};
type Block = {
  text?: string;
  toolUse?: { toolUseId: string; name: string; input: unknown };
  toolResult?: { toolUseId: string; content: { text?: string; json?: unknown }[]; status?: string };
};
type Tool = { name: string; inputSchema: { json: { properties?: Record<string, unknown>; required?: string[] } } };

/** The next response of the fake model: text, tool calls, or both. */
export type Turn = { text?: string; calls?: { name: string; input: object }[] };

/** The user's last message, and the tool calls made since. */
type Request = { text: string; done: { name: string; result: string }[] };

/** Returns the user's last message with the tool calls, and their results, that follow it. */
export const requestOf = ({ messages }: ConverseRequest): Request => {
  const names = new Map<string, string>();
  let request: Request = { text: '', done: [] };
  for (const { role, content } of messages) {
    for (const { text, toolUse, toolResult } of content) {
      if (toolUse) names.set(toolUse.toolUseId, toolUse.name);
      if (toolResult) {
        const result = toolResult.content.map(({ text, json }) => text ?? JSON.stringify(json)).join('\n');
        request.done.push({ name: names.get(toolResult.toolUseId) ?? '', result });
      }
      if (text !== undefined && role === 'user') request = { text, done: [] };
    }
  }
  return request;
};

/**
 * A rule for answering: the first that matches the user's message and whose tools are offered applies. `steps` are the
 * tools to call, in order; a tool that takes an agent is preceded by `listAgents` when the message names none.
 */
type Rule = { when: RegExp; steps: string[]; needs?: 'number'; before?: string };

const rules: Rule[] = [
  {
    when: /^\W*(how|why|where|what (does|is|are|do|can)|which (operation|endpoint|field|error))\b(?!.*\b(blocked|my)\b)/i,
    steps: ['searchDocumentation'],
    before: 'Let me look that up.',
  },
  { when: /\b(is|are|was)\b.*\bblocked\b|\bblocked\?/i, steps: ['isNumberBlocked'], needs: 'number' },
  { when: /\bblock\b/i, steps: ['blockNumbers'], needs: 'number', before: 'I can block that. It needs your approval.' },
  { when: /https?:\/\//i, steps: ['addWebsite'], before: 'I can add that website. It needs your approval.' },
  {
    when: /\b(duplicate|copy|clone)\b/i,
    steps: ['duplicateAgent'],
    before: 'I can copy the agent. It needs your approval.',
  },
  { when: /\b(rename|update|change)\b/i, steps: ['updateAgent'], before: 'I can change that. It needs your approval.' },
  {
    when: /\b(create|make|add|set up)\b.*\b(agent|it|one)\b/i,
    steps: ['createAgent'],
    before: 'I can create this agent. It needs your approval.',
  },
  {
    when: /\b(create|make|draft|build|design|suggest|set up|new)\b|receptionist|configuration/i,
    steps: ['draftAgent'],
    before: 'Let me draft that.',
  },
  {
    when: /\b(search|find|look up)\b.*\b(websites?|documents?|knowledge|sources?)\b/i,
    steps: ['searchKnowledge'],
    before: 'Let me search the knowledge.',
  },
  {
    when: /\b(websites?|documents?|knowledge|sources?)\b.*\?|\b(list|show)\b.*\b(websites?|documents?|knowledge|sources?)\b/i,
    steps: ['listKnowledge'],
  },
  { when: /\b(my|recent|latest|last|list|show)\b.*\bcalls?\b/i, steps: ['listCalls'] },
  { when: /\b(my|list|show|which|what)\b.*\bagents?\b/i, steps: ['listAgents'], before: 'Let me look at your agents.' },
  { when: /\d/, steps: ['checkNumbers'], needs: 'number', before: 'Let me check that.' },
  { when: /^\W*(hi|hello|hey|good (morning|day|evening)|thanks|thank you)\b/i, steps: [] },
  { when: /./s, steps: ['searchDocumentation'], before: 'Let me look that up.' },
];

const toolsOfAnAgent = new Set([
  'isNumberBlocked',
  'blockNumbers',
  'addWebsite',
  'duplicateAgent',
  'updateAgent',
  'listKnowledge',
  'searchKnowledge',
  'listCalls',
  'getAgent',
]);

/** Returns the next response. It depends on the conversation alone. */
export const nextTurn = (conversation: ConverseRequest): Turn => {
  const request = requestOf(conversation);
  const tools = new Map(
    (conversation.toolConfig?.tools ?? []).flatMap(({ toolSpec }) => (toolSpec ? [[toolSpec.name, toolSpec]] : [])),
  );
  const facts = factsOf(request.text, JSON.stringify(conversation.messages));
  const message = request.text.replace(/\[fake: \w+\]/g, '').trim();
  const matching = rules.filter(({ when, needs }) => when.test(message) && (!needs || facts[needs] !== ''));
  const rule = matching.find(({ steps }) => steps.every((name) => tools.has(name)));
  if (!rule) return { text: greeting([...tools.keys()]) };
  const last = request.done.at(-1);
  if (last && isFailure(last.result)) return { text: describeFailure(last.result) };
  const done = request.done.map(({ name }) => name);
  const step = rule.steps
    .flatMap((name) =>
      toolsOfAnAgent.has(name) && !facts.agentId && tools.has('listAgents') ? ['listAgents', name] : name,
    )
    .find(
      (name) => !done.includes(name) && !(toolsOfAnAgent.has(name) && !facts.agentId && done.includes('listAgents')),
    );
  const tool = step === undefined ? undefined : tools.get(step);
  if (tool) {
    const text = last ? undefined : rule.before;
    return { ...(text && { text }), calls: [{ name: tool.name, input: inputOf(tool, facts) }] };
  }
  const needsKey = matching[0] !== rule && matching[0]?.steps.some((name) => !tools.has(name));
  const more = needsKey ? '\n\nWith an API key I can do that for you. Enter your key above.' : '';
  return { text: (last ? describeResult(last) : greeting([...tools.keys()])) + more };
};

/** Values found in the user's message, under every name that a tool's input has for them. */
type Facts = ReturnType<typeof factsOf>;

const factsOf = (words: string, conversation: string) => {
  const numbers = (words.match(/\+?\(?\d[\d\s().-]{5,}\d/g) ?? []).map((number) => number.trim());
  const name =
    /\b(?:called|named|name|to)\s+["“‘']?([^"”’'.,;:!?\n]{1,60})/i.exec(words)?.[1]?.trim() ??
    /["“]([^"”]{1,60})["”]/.exec(words)?.[1] ??
    capitalize(/\bfor (?:an?|the|my|our) ([\w -]{2,40})/i.exec(words)?.[1]) ??
    'Front desk';
  const url = /https?:\/\/[^\s"'<>)]+/.exec(words)?.[0]?.replace(/[.,;]$/, '') ?? '';
  const agentId =
    (/\bagent_[0-9A-HJKMNP-TV-Z]{26}\b/.exec(words) ?? /\bagent_[0-9A-HJKMNP-TV-Z]{26}\b/.exec(conversation))?.[0] ??
    '';
  const configuration = {
    greeting: `Hello, this is ${name}. How can I help you?`,
    instructions: `You answer the phone for ${name}. Be brief and friendly. Ask for the caller’s name and what they need.`,
    language: 'en-US',
  };
  const number = numbers[0] ?? '';
  const description = words;
  return {
    query: words.replace(/\bblock\b/gi, 'add to the block list').slice(0, 300),
    description,
    purpose: words,
    name,
    numbers,
    number,
    phone: number,
    phoneNumber: number,
    url,
    agentId,
    configuration,
    ...configuration,
  };
};

const capitalize = (text: string | undefined) => text && text.charAt(0).toUpperCase() + text.slice(1).trimEnd();

/** Fills a tool's required input fields, and the optional ones listed here. */
const inputOf = ({ name, inputSchema }: Tool, facts: Facts) => {
  const { properties = {}, required = [] } = inputSchema.json;
  const optional = { createAgent: ['configuration'], duplicateAgent: ['name'], updateAgent: ['name'] }[name] ?? [];
  const wanted = Object.keys(properties).filter((field) => required.includes(field) || optional.includes(field));
  return Object.fromEntries(wanted.flatMap((field) => (field in facts ? [[field, facts[field as keyof Facts]]] : [])));
};

const isFailure = (result: string) =>
  /nothing was done|\bdenied\b|^error|^\{"error"|not valid|did not approve/i.test(result.slice(0, 400));

const describeFailure = (result: string) =>
  /nothing was done|denied|approve/i.test(result)
    ? 'Canceled. I changed nothing.'
    : `That did not work: ${result.slice(0, 300)}`;

/** Describes a tool's result: by the tool's own description, or as a list of its fields. */
const describeResult = ({ name, result }: { name: string; result: string }): string => {
  const value = parseJson(result);
  const [heading, lines] = (isRecord(value) && reports[name]?.(value)) || ['Result:', linesOf(value)];
  return lines.length > 0 ? `${heading}\n\n${lines.map((line) => `- ${line}`).join('\n')}` : heading;
};

// biome-ignore lint/suspicious/noExplicitAny: tool results have no type here
type Value = Record<string, any>;
type Report = (value: Value) => [heading: string, lines: string[]];

const topic = ({ title, page }: Value) => `[${title}](${page})`;
const agent = ({ name, agentId }: Value) => `**${name}** (\`${agentId}\`)`;
const configurationLines = ({ configuration = {} }: Value) =>
  Object.entries(configuration).map(
    ([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
const pluralize = (items: unknown[], one: string) => `${items.length} ${items.length === 1 ? one : `${one}s`}`;

const reports: Record<string, Report> = {
  searchDocumentation: ({ topics = [] }) => {
    const [best, ...others] = topics as Value[];
    if (!best) return ['I found nothing about that in the documentation.', []];
    const more = others.length > 0 ? '\n\nRelated topics:' : '';
    return [`I found this in the documentation.\n\n**${topic(best)}**\n\n${best.text}${more}`, others.map(topic)];
  },
  draftAgent: ({ agent, problems = [], advice = [] }) => [
    `Here is a draft of **${agent?.name}**. Tell me what to change. With an API key I can create it.`,
    [
      ...configurationLines(agent ?? {}),
      ...problems.map(({ path, message }: Value) => `Error: \`${path}\` ${message}`),
      ...advice.map(({ path, message }: Value) => `Warning: \`${path}\` ${message}`),
    ],
  ],
  checkNumbers: ({ numbers = [] }) => [
    'I checked the numbers:',
    numbers.map(({ given, valid, number, problem }: Value) =>
      valid ? `${given} is valid: \`${number}\`.` : `${given} is not valid. ${problem}`,
    ),
  ],
  listAgents: ({ agents = [] }) =>
    agents.length === 0
      ? ['You have no agent yet. Ask me to create one.', []]
      : [`You have access to ${pluralize(agents, 'agent')}:`, agents.map(agent)],
  getAgent: (found) => [`This is ${agent(found)}:`, configurationLines(found)],
  createAgent: (created) => [`Done. I created ${agent(created)}.`, []],
  updateAgent: (changed) => [`Done. I updated ${agent(changed)}.`, []],
  duplicateAgent: (copy) => [`Done. I copied the agent to ${agent(copy)}.`, []],
  addWebsite: ({ websiteId }) => [`Done. The website \`${websiteId}\` is being crawled.`, []],
  searchKnowledge: ({ passages = [] }) =>
    passages.length === 0
      ? ['The knowledge has nothing about that.', []]
      : ['The knowledge says:', passages.map(({ text, name, url }: Value) => `“${text}” (${url ?? name})`)],
  listKnowledge: ({ websites = [], documents = [] }) => {
    const sources = [...websites, ...documents].map(
      ({ name, url, type, status }: Value) => `**${name}** (${url ?? type}): ${status}`,
    );
    return sources.length === 0
      ? ['The agent has no websites and no documents yet.', []]
      : [`The agent has ${pluralize(sources, 'knowledge source')}:`, sources];
  },
  isNumberBlocked: ({ number, blocked }) => [`\`${number}\` is ${blocked ? 'blocked' : 'not blocked'}.`, []],
  blockNumbers: ({ added = [], failed = [] }) => [
    `Done. I blocked ${pluralize(added, 'number')}.`,
    failed.map(({ number, reason }: Value) => `${number}: ${reason}`),
  ],
  listCalls: ({ calls = [] }) =>
    calls.length === 0
      ? ['There are no calls yet.', []]
      : [
          'The latest calls are:',
          calls
            .slice(0, 10)
            .map((call: Value) => `${call.startedAt}: ${call.direction}, ${call.phone}, ${call.status ?? 'no status'}`),
        ],
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const isRecord = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entries of a result's first list, or its own plain fields. */
const linesOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.slice(0, 5).map(labelOf);
  if (!isRecord(value)) return [String(value).slice(0, 500)];
  const list = Object.values(value).find((field) => Array.isArray(field) && field.length > 0);
  if (list) return linesOf(list);
  return Object.entries(value)
    .filter(([, field]) => !Array.isArray(field))
    .map(([name, field]) => `${name}: ${typeof field === 'object' ? JSON.stringify(field).slice(0, 200) : field}`);
};

const labelOf = (item: unknown): string => {
  if (!isRecord(item)) return String(item).slice(0, 300);
  const [first = '', ...rest] = Object.values(item).flatMap((field) =>
    typeof field === 'string' && field !== '' ? field.replace(/\s+/g, ' ').slice(0, 300) : [],
  );
  return rest.length > 0 ? `**${first}** ${rest.slice(0, 2).join(' · ')}` : first;
};

const greeting = (tools: string[]): string =>
  [
    'Hello! I am a fake model for local use: my answers are canned, my tools are real. I can',
    '',
    '- search the documentation: “How do I block a number?”',
    '- draft an agent: “Draft a receptionist for a dentist”',
    '- check phone numbers: “Check +1 (415) 555-0100”',
    ...(tools.includes('listAgents')
      ? [
          '- list your agents and calls: “Show my agents”',
          '- create and change things after your approval: “Create an agent called Reception”',
        ]
      : ['', 'With an API key I can also list your agents and, after your approval, create and change them.']),
  ].join('\n');
