import { randomUUID } from 'node:crypto';
import { ApiError, invalidField } from '../domain/errors.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { limits } from '../domain/limits.ts';
import { pickFields } from '../domain/pick-fields.ts';
import { WebhookEndpoint } from '../domain/webhooks.ts';
import { service } from '../service.ts';
import { when } from '../store/expressions.ts';
import { userKey, webhookEndpointsKey } from '../store/keys.ts';
import { type Item, TableStore, table, untilWritten } from '../store/table.ts';
import { putFirst, type UserItem } from '../store/users.ts';
import { type DeliveryOutcome, endpointAfter, type StoredEndpoint } from './endpoint-state.ts';

/** `deleted` has when endpoints were deleted (Unix milliseconds): repeated requests do not create them again. */
export type EndpointsItem = Item & {
  endpoints?: Record<string, StoredEndpoint>;
  deleted?: Record<string, number>;
  version: string;
  /** A mark of the user: deliveries wait. */
  suspended?: true;
};

/** The time for which deleted ids are kept: that of an Idempotency-Key. */
const deletedMilliseconds = 24 * 60 * 60 * 1000;
const maxDeleted = 1000;

/** The webhook endpoints of users. Changes read all endpoints of a user together: they are one item. */
export class WebhookEndpoints extends TableStore {
  /** Returns a user's endpoints in the order of their creation. */
  async list(uid: string): Promise<StoredEndpoint[]> {
    return listEndpoints(await this.table.get<EndpointsItem>(webhookEndpointsKey(uid)));
  }

  async find(uid: string, endpointId: string): Promise<StoredEndpoint | undefined> {
    return (await this.list(uid)).find((endpoint) => endpoint.endpointId === endpointId);
  }

  /** Returns the endpoints of users, and which owners exist, in one round trip. */
  async listMany(
    uids: string[],
    owners: string[],
  ): Promise<{ endpoints: Map<string, StoredEndpoint[]>; existing: Set<string> }> {
    const byKey = new Map(uids.map((uid) => [webhookEndpointsKey(uid).pk, uid]));
    const keys = [...uids.map(webhookEndpointsKey), ...owners.map(userKey)];
    const items = await this.table.getMany<EndpointsItem | UserItem>(keys);
    return {
      endpoints: new Map(
        items.flatMap((item) => ('endpoints' in item ? [[byKey.get(item.pk) as string, listEndpoints(item)]] : [])),
      ),
      existing: new Set(items.flatMap((item) => ('createdAt' in item && !item.deletingAt ? [item.uid] : []))),
    };
  }

  /** Adds an endpoint, or returns that of a repeated request. Throws if it was deleted. */
  async add(uid: string, endpoint: StoredEndpoint): Promise<StoredEndpoint> {
    const change = (endpoints: Record<string, StoredEndpoint>, deleted: Record<string, number>) => {
      if (endpoint.endpointId in endpoints) return undefined;
      if (endpoint.endpointId in deleted) throw deletedEndpoint();
      if (Object.keys(endpoints).length >= limits.webhookEndpoints) throw tooManyEndpoints();
      checkAddress(endpoint, endpoints);
      return { ...endpoints, [endpoint.endpointId]: endpoint };
    };
    return (await this.#change(uid, change))[endpoint.endpointId] as StoredEndpoint;
  }

  /** Changes an endpoint, if it exists. The same endpoint again writes nothing. */
  async change(
    uid: string,
    endpointId: string,
    change: (endpoint: StoredEndpoint) => StoredEndpoint,
  ): Promise<StoredEndpoint | undefined> {
    const endpoints = await this.#change(uid, (found) => {
      const former = found[endpointId];
      const changed = former && change(former);
      if (!changed || changed === former) return undefined;
      if (changed.url === former.url) return { ...found, [endpointId]: changed };
      const { confirmedAt: _, ...unconfirmed } = changed;
      checkAddress(unconfirmed, found);
      return { ...found, [endpointId]: unconfirmed };
    });
    return endpoints[endpointId];
  }

  /** Returns false when there is no such endpoint. */
  async remove(uid: string, endpointId: string): Promise<boolean> {
    let isThere = false;
    await this.#change(uid, (found) => {
      const { [endpointId]: removed, ...others } = found;
      isThere ||= removed !== undefined;
      return removed && others;
    });
    return isThere;
  }

  /** Notes the result of a delivery. An endpoint that fails for long, or with 410, is disabled. */
  async note(uid: string, endpoint: StoredEndpoint, result: DeliveryOutcome): Promise<StoredEndpoint | undefined> {
    const at = Date.now();
    // Most deliveries do not change the endpoint: then nothing is read or written.
    if (endpointAfter(endpoint, result, at) === endpoint) return endpoint;
    return this.change(uid, endpoint.endpointId, (found) => endpointAfter(found, result, at));
  }

  /** Changes a user's endpoints. Of two concurrent changes, the later sees the earlier. */
  async #change(
    uid: string,
    change: (
      endpoints: Record<string, StoredEndpoint>,
      deleted: Record<string, number>,
    ) => Record<string, StoredEndpoint> | undefined,
  ): Promise<Record<string, StoredEndpoint>> {
    const version = randomUUID();
    return untilWritten(async () => {
      const found = await this.table.get<EndpointsItem>(webhookEndpointsKey(uid));
      // The write of an earlier attempt succeeded and its response was lost.
      if (found?.version === version) return found.endpoints ?? {};
      const present = presentEndpoints(found);
      const deleted = recentlyDeleted(found?.deleted);
      const endpoints = change(present, deleted);
      if (!endpoints) return present;
      for (const id of Object.keys(present)) if (!(id in endpoints)) deleted[id] = Date.now();
      const item: EndpointsItem = { ...found, ...webhookEndpointsKey(uid), endpoints, deleted, version };
      if (found) await this.table.put(item, when`version = ${found.version}`);
      else await putFirst(this.table, uid, item);
      return endpoints;
    });
  }
}

const listEndpoints = (item: EndpointsItem | undefined): StoredEndpoint[] =>
  Object.values(presentEndpoints(item))
    .map((endpoint) => (item?.suspended ? { ...endpoint, isSuspended: item.suspended } : endpoint))
    .sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1));

/** Returns all endpoints except those of commands that were killed. */
const presentEndpoints = (item: EndpointsItem | undefined): Record<string, StoredEndpoint> => {
  const isPresent = ({ listeningUntil = Number.POSITIVE_INFINITY }: StoredEndpoint) => listeningUntil > Date.now();
  return Object.fromEntries(Object.entries(item?.endpoints ?? {}).filter(([, endpoint]) => isPresent(endpoint)));
};

const recentlyDeleted = (deleted: EndpointsItem['deleted'] = {}): Record<string, number> =>
  Object.fromEntries(
    Object.entries(deleted)
      .filter(([, at]) => at > Date.now() - deletedMilliseconds)
      .sort(([, one], [, other]) => one - other)
      .slice(-maxDeleted),
  );

/** Throws for a repeated URL, and for a second unconfirmed endpoint of a host: nothing shows that it wants events. */
const checkAddress = (
  { endpointId, url, confirmedAt, listeningUntil }: StoredEndpoint,
  endpoints: Record<string, StoredEndpoint>,
) => {
  if (listeningUntil !== undefined) return;
  const others = Object.values(endpoints).filter(
    (other) => other.endpointId !== endpointId && other.listeningUntil === undefined,
  );
  const [own, addresses] = [URL.parse(url), others.map((other) => URL.parse(other.url))];
  if (addresses.some((address) => address?.href === own?.href))
    throw invalidField('url', 'is the address of another webhook endpoint of this user');
  const unconfirmed = others.find((other, index) => !other.confirmedAt && addresses[index]?.host === own?.host);
  if (confirmedAt === undefined && unconfirmed) {
    throw invalidField(
      'url',
      `has the host of ${unconfirmed.endpointId}, which has not answered a delivery or a test with 2xx yet. Test that endpoint first`,
    );
  }
};

/** Returns an endpoint with the time of a test, or throws so soon after another. */
export const withTest = (endpoint: StoredEndpoint): StoredEndpoint => {
  const waitMilliseconds = (endpoint.testedAt ?? 0) + limits.webhookTestSeconds * 1000 - Date.now();
  if (waitMilliseconds > 0) {
    throw new ApiError('rate_limited', `An endpoint can be tested once in ${formatLimit('webhookTestSeconds')}.`, {
      retryAfterSeconds: Math.ceil(waitMilliseconds / 1000),
    });
  }
  return { ...endpoint, testedAt: Date.now() };
};

const deletedEndpoint = () =>
  new ApiError('idempotency_conflict', 'The endpoint that this Idempotency-Key created was deleted.');

const tooManyEndpoints = () =>
  new ApiError('too_many_endpoints', `A user has at most ${limits.webhookEndpoints} webhook endpoints. Delete one.`);

/** Returns an endpoint for a response. */
export const toEndpointResponse = (endpoint: StoredEndpoint): WebhookEndpoint => pickFields(endpoint, WebhookEndpoint);

export const webhookEndpoints = /* @__PURE__ */ service(() => new WebhookEndpoints(table.get()), {
  list: ['dynamodb:GetItem'],
  find: ['dynamodb:GetItem'],
  listMany: ['dynamodb:BatchGetItem'],
  add: ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  change: ['dynamodb:GetItem', 'dynamodb:PutItem'],
  remove: ['dynamodb:GetItem', 'dynamodb:PutItem'],
  note: ['dynamodb:GetItem', 'dynamodb:PutItem'],
});
