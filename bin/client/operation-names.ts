/** The groups that are not named after a tag or path, by the noun in the names of their operations. */
const groupsOfNouns = {
  UserBlockedNumber: 'userBlockList',
  BlockedNumber: 'blockList',
  Reconciliation: 'reconciliations',
};

/** The fields of an operation that its name depends on. */
export type NamedOperation = { operationId: string; path: string; tag: string };

/**
 * Names the operations of the clients: `listCalls` is `calls.list`.
 *
 * The group of an operation is its tag if its name contains the tag's words, or else the first segment of its path. The verb is the
 * name without these words: `listAgents` is `agents.list`, `rotateWebhookSecret` is `webhooks.rotateSecret`,
 * `createErasure` is `erasures.create`. If two operations would get the same name, the one for several items ends
 * in `Many`: `checkBlockedNumbers` is `blockList.checkMany`.
 */
export const nameOperations = (operations: NamedOperation[]): Map<string, { group: string; verb: string }> => {
  const names = new Map(operations.map((operation) => [operation.operationId, deriveName(operation)]));
  const taken = new Map<string, string>();
  for (const [operationId, name] of names) {
    const other = taken.get(`${name.group}.${name.verb}`);
    if (other !== undefined) {
      const plural = other === `${operationId}s` ? other : operationId;
      const singular = other === plural ? operationId : other;
      if (plural !== `${singular}s`)
        throw new Error(`${other} and ${operationId} would both be ${name.group}.${name.verb}.`);
      names.set(plural, { ...name, verb: `${name.verb}Many` });
    }
    taken.set(`${name.group}.${name.verb}`, operationId);
  }
  return names;
};

const deriveName = ({ operationId, path, tag }: NamedOperation) => {
  const group = camelCase(tag);
  for (const [noun, name] of Object.entries({ ...groupsOfNouns, [capitalize(group)]: group })) {
    const verb = withoutNoun(operationId, noun);
    if (verb) return { group: name, verb };
  }
  const [segment = ''] = path.slice(1).split('/');
  return { group: camelCase(segment), verb: /^[a-z]+/.exec(operationId)?.[0] as string };
};

/** Removes a noun from a name: `listAgentVersions` without `Agents` is `listVersions`. Returns undefined if the name lacks the noun. */
const withoutNoun = (operationId: string, noun: string): string | undefined => {
  const [verb, rest] = operationId.split(new RegExp(`${noun.replace(/s$/, '')}s?(?![a-z])`));
  return rest === undefined ? undefined : `${verb}${rest}`;
};

export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const camelCase = (words: string) =>
  words.toLowerCase().replaceAll(/[^a-z0-9]+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
