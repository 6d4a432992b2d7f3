// biome-ignore lint/suspicious/noExplicitAny: tool results have no type here
export type Value = Record<string, any>;

/** How the fake model replies to a message. */
export type Reply = {
  when: RegExp;
  /** The tool that it calls. Without one, it answers at once. */
  tool?: string;
  /** The tool takes an agent, which the message names, or may name. */
  ofAgent?: true | 'optional';
  /** Returns the tool's input, or undefined if the message lacks what `needs` names. Default: no input. */
  input?(message: string): object | undefined;
  needs?: string;
  /** Returns the answer to the tool's result. `tools` are those that the user's key allows. */
  answer(result: Value, tools: Set<string>): string;
};

const needsNumber = 'a phone number, such as +1 415 555 0100';

/** The replies, of which the first one whose pattern matches applies. The last one matches every message. */
export const replies: Reply[] = [
  {
    when: /^\W*(hi|hello|hey|good (morning|day|evening)|thanks|thank you)\b/i,
    answer: (_, tools) =>
      `Hello! I am a fake model for local use: my answers are canned, my tools are real. ${listAbilities(tools)}`,
  },
  {
    when: /^(?!\W*how\b).*\b(delete|remove|erase|unblock)\b/i,
    answer: () =>
      'I cannot delete or remove anything: the chat has no tool for that. The API has: ask me “How do I delete an agent?”.',
  },
  {
    when: /^(?!\W*how\b).*\b(set|change|update)\b.*\boutcome\b/i,
    answer: () =>
      'I cannot set outcomes: the chat has no tool for that. The API has: ask me “How do I set the outcome of a call?”.',
  },
  {
    tool: 'searchKnowledge',
    when: /^(?!\W*how\b).*(\bknows?\b.*\babout\b|\b(search|find|look up)\b.*\b(websites?|documents?|knowledge|sources?)\b)/i,
    ofAgent: true,
    input: (message) => ({ query: /\b(?:about|for)\s+(.+?)[?.!]?$/i.exec(message)?.[1] ?? message }),
    answer: ({ passages = [] }) =>
      passages.length === 0
        ? 'The knowledge has nothing about that.'
        : list('The knowledge says:', passages, ({ text, name, url }) => `“${text}” (${url ?? name})`),
  },
  {
    tool: 'getCallFigures',
    when: /^(?!\W*how (do|can)\b)(?!.*\bcan I\b).*\b(how many|how much|count|figures?|sum|total|worth|earned)\b.*\b(calls|outcomes|earn(ed)?|make|made|worth)\b|\bcalls cost\b/i,
    ofAgent: 'optional',
    input: () => ({ by: 'outcome' }),
    answer: ({ rows, totals = {}, pending }) => {
      const costs = Object.entries(totals.cost ?? {}).map(([currency, sum]) => `${sum} ${currency}`);
      const sentences = [
        `In the last 30 days there were ${totals.calls} calls, worth ${totals.value} in all.`,
        ...(costs.length > 0 ? [`They cost ${costs.join(' and ')}.`] : []),
        ...(pending ? ['Some that have just changed are not counted yet.'] : []),
      ];
      return list(
        sentences.join(' '),
        rows,
        ({ outcome, calls, value }) => `**${outcome ?? 'no outcome'}**: ${calls}, worth ${value}`,
      );
    },
  },
  {
    tool: 'searchDocumentation',
    when: /^\W*(how|why|where|what (is|are|does)|which (operation|endpoint|field|error))\b(?!.*\b(blocked|my|websites?|documents?)\b)/i,
    input: (message) => ({ query: message.slice(0, 300) }),
    answer: ({ topics = [] }) => {
      const [best, ...others] = topics as Value[];
      if (!best) return 'I found nothing about that in the documentation.';
      const found = `I found this in the documentation.\n\n**${linkTopic(best)}**\n\n${best.text}`;
      return others.length > 0 ? list(`${found}\n\nRelated topics:`, others, linkTopic) : found;
    },
  },
  {
    tool: 'isNumberBlocked',
    when: /\b(is|are|was)\b.*\bblocked\b|\bblocked\?/i,
    ofAgent: true,
    input: (message) => findNumber(message, (number) => ({ number })),
    needs: needsNumber,
    answer: ({ number, blocked }) => `\`${number}\` is ${blocked ? 'blocked' : 'not blocked'}.`,
  },
  {
    tool: 'blockNumbers',
    when: /\bblock\b/i,
    ofAgent: true,
    input: (message) =>
      findNumber(message, (_, numbers) => ({ numbers, reason: /\bbecause\s+(.+?)[.!]?$/i.exec(message)?.[1] })),
    needs: needsNumber,
    answer: ({ added = [], failed }) =>
      list(
        added.length > 0 ? `Done. I blocked ${added.join(', ')}.` : 'I blocked no number.',
        failed,
        ({ number, reason }) => `${number}: ${reason}`,
      ),
  },
  {
    tool: 'addWebsite',
    when: /https?:\/\//i,
    ofAgent: true,
    input: (message) => ({ url: /https?:\/\/[^\s"'<>)]+/.exec(message)?.[0]?.replace(/[.,;]$/, '') }),
    answer: ({ websiteId }) => `Done. The website \`${websiteId}\` is being crawled.`,
  },
  {
    tool: 'duplicateAgent',
    when: /\b(duplicate|copy|clone)\b/i,
    ofAgent: true,
    input: (message) => ({ name: findName(message) }),
    answer: (copy) => `Done. I copied the agent to ${describeAgent(copy)}.`,
  },
  {
    tool: 'updateAgent',
    when: /\b(rename|update|change|set)\b.*\bto\b/i,
    ofAgent: true,
    input: findChange,
    needs: 'what to change, as in “Change the greeting of Reception to "Hello"” or “Rename Reception to Front office”,',
    answer: (changed) => `Done. I updated ${describeAgent(changed)}.`,
  },
  {
    tool: 'createAgent',
    when: /\b(create|make|add|set up)\b.*\b(agent|it|one)\b/i,
    input: buildDraft,
    answer: (created) => `Done. I created ${describeAgent(created)}.`,
  },
  {
    tool: 'draftAgent',
    when: /\b(create|make|draft|build|design|suggest|set up|new)\b/i,
    input: buildDraft,
    answer: ({ agent: { name, configuration = {} } = {}, problems = [], advice = [] }, tools) => {
      const next = tools.has('createAgent')
        ? `To store it, write “Create an agent called ${name}”.`
        : 'With an API key I can create it.';
      const lines = [
        ...Object.entries(configuration).map(([field, value]) => `${field}: ${toText(value)}`),
        ...problems.map(({ path, message }: Value) => `Error: \`${path}\` ${message}`),
        ...advice.map(({ path, message }: Value) => `Warning: \`${path}\` ${message}`),
      ];
      return list(`Here is a draft of **${name}**. ${next}`, lines, (line) => line);
    },
  },
  {
    tool: 'listKnowledge',
    when: /\b(websites?|documents?|knowledge|sources?)\b/i,
    ofAgent: true,
    answer({ websites = [], documents = [] }) {
      const sources = [...websites, ...documents];
      return sources.length === 0
        ? 'The agent has no websites and no documents yet.'
        : list(
            `The agent has ${count(sources, 'knowledge source')}:`,
            sources,
            ({ name, url, type, status }) => `**${name}** (${url ?? type}): ${status}`,
          );
    },
  },
  {
    tool: 'listCalls',
    when: /\b(my|recent|latest|last|list|show|which|what)\b.*\bcalls?\b/i,
    ofAgent: true,
    input: (message) => findNumber(message, (phone) => ({ phone })) ?? {},
    answer: ({ calls = [] }) =>
      calls.length === 0
        ? 'There are no calls yet.'
        : `The latest calls are:\n\n${formatTable(
            ['Start (UTC)', 'Direction', 'Number', 'Duration', 'Status', 'Outcome'],
            calls.slice(0, 10).map(listCallCells),
          )}`,
  },
  {
    tool: 'listAgents',
    when: /\b(my|list|show|which|what)\b.*\bagents?\b/i,
    answer: ({ agents = [] }) =>
      agents.length === 0
        ? 'You have no agent yet. Ask me to create one.'
        : list(`You have access to ${count(agents, 'agent')}:`, agents, describeAgent),
  },
  {
    tool: 'checkNumbers',
    when: /\d/,
    input: (message) => findNumber(message, (_, numbers) => ({ numbers })),
    needs: needsNumber,
    answer: ({ numbers }) =>
      list('I checked the numbers:', numbers, ({ given, valid, number, problem }) =>
        valid ? `${given} is valid: \`${number}\`.` : `${given} is not valid. ${problem}`,
      ),
  },
  { when: /^/, answer: (_, tools) => `I am a fake model, and I do not understand this. ${listAbilities(tools)}` },
];

/** Returns a sentence with a list below it, in Markdown. */
const list = <Item = Value>(sentence: string, items: Item[] = [], format: (item: Item) => string): string =>
  items.length > 0 ? `${sentence}\n\n${items.map((item) => `- ${format(item)}`).join('\n')}` : sentence;

/** Returns what `make` makes of the numbers in a message, the first of which it gets apart; undefined without a number. */
const findNumber = <T>(message: string, make: (first: string, numbers: string[]) => T): T | undefined => {
  const numbers = (message.match(/\+?\(?\d[\d\s().-]{5,}\d/g) ?? []).map((number) => number.trim());
  return numbers[0] === undefined ? undefined : make(numbers[0], numbers);
};

const findName = (message: string): string | undefined =>
  /\b(?:called|named)\s+["“‘']?([^"”’'.,;:!?\n]{1,60})/i.exec(message)?.[1]?.trim() ??
  /["“]([^"”]{1,60})["”]/.exec(message)?.[1];

function buildDraft(message: string) {
  const purpose = /\bfor (?:an?|the|my|our) ([\w -]{2,40})/i.exec(message)?.[1]?.trimEnd();
  const name = findName(message) ?? (purpose ? purpose.charAt(0).toUpperCase() + purpose.slice(1) : 'Front desk');
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
function findChange(message: string): object | undefined {
  const [, verb = '', about = '', value] =
    /\b(rename|update|change|set)\b(.*?)\bto\s+["“‘']?(.+?)["”’']?[.!]?$/i.exec(message) ?? [];
  if (value === undefined) return undefined;
  if (/rename/i.test(verb) || /\bname\b/i.test(about)) return { name: value };
  const fields = ['greeting', 'instructions', 'voice', 'language', 'model', 'timeZone'];
  const words = about.toLowerCase().replace('time zone', 'timezone');
  const field = fields.find((name) => words.includes(name.toLowerCase()));
  return field ? { configuration: { [field]: value } } : undefined;
}

const listCallCells = ({ startedAt, direction, phone, durationSeconds, status, custom_call_outcome }: Value) => [
  startedAt.slice(0, 16).replace('T', ' '),
  direction,
  phone ?? 'withheld',
  durationSeconds && `${Math.floor(durationSeconds / 60)}\u00a0min ${Math.round(durationSeconds % 60)}\u00a0s`,
  status,
  custom_call_outcome,
];

/** Returns a table in Markdown. */
const formatTable = (head: string[], rows: unknown[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => String(cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const linkTopic = ({ title, page }: Value) => `[${title}](${page})`;
const describeAgent = ({ name, agentId }: Value) => `**${name}** (\`${agentId}\`)`;
const count = (items: unknown[], one: string) => `${items.length} ${items.length === 1 ? one : `${one}s`}`;

/** Lists the requests that the model understands. */
const listAbilities = (tools: Set<string>): string =>
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
