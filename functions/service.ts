import type { JobName } from './domain/job-messages.ts';

/**
 * An IAM action on the service's own table, bucket or model. Queue, secret and non-default folder are a suffix:
 * `sqs:SendMessage:crawlWebsite`. Writing API keys and the log of changes is denied, except with their suffix; `:requests` and
 * `:parked` allow an action on the counts of requests, and on parked changes, alone.
 */
export type Permission =
  | 'dynamodb:BatchGetItem'
  | 'dynamodb:BatchWriteItem'
  | 'dynamodb:ConditionCheckItem'
  | 'dynamodb:DeleteItem'
  | 'dynamodb:GetItem'
  | 'dynamodb:PartiQLInsert'
  | 'dynamodb:PartiQLUpdate'
  | 'dynamodb:PutItem'
  | 'dynamodb:Query'
  | 'dynamodb:Scan'
  | 'dynamodb:UpdateItem'
  | `dynamodb:${'BatchWriteItem' | 'PutItem' | 'UpdateItem'}:apiKeys`
  | `dynamodb:${'BatchWriteItem' | 'PartiQLInsert'}:changes`
  | `dynamodb:${'GetItem' | 'UpdateItem'}:requests`
  | `dynamodb:${'DeleteItem' | 'PutItem' | 'UpdateItem'}:parked`
  | 's3:DeleteObject'
  | 's3:GetObject'
  | 's3:ListBucket'
  | 's3:PutObject'
  | `s3:${'DeleteObject' | 'GetObject' | 'PutObject'}:${'imports' | 'exports' | 'lake' | 'parked'}`
  | 'bedrock:InvokeModelWithResponseStream'
  | `sqs:SendMessage:${JobName}`
  | `secretsmanager:GetSecretValue:${SecretName}`;

/**
 * A secret of a deployment: the payment provider's key, and those that sign the chat, key the hashes of erasures, and encrypt
 * the secrets in the table.
 */
export type SecretName = 'stripe' | 'chatSigning' | 'erasure' | 'webhookEncryption';

/** A store or a client: created on first use, once per process, never on import. Its user needs `permissions`. */
export type Service<T> = { get(): T; readonly permissions: readonly Permission[] };

/** A service of which a function names the methods that it uses, and gets only those. */
export type ServiceByMethod<T, Listed> = {
  get(): T;
  /** These methods, and the permissions that they need. */
  for<Name extends keyof T & keyof Listed>(...methods: [Name, ...Name[]]): Service<Pick<T, Name>>;
};

type PermissionsByMethod<T> = { [Name in keyof T]?: readonly Permission[] };

/**
 * Declares a service whose methods are used one by one; `permissions` lists those of each method. Calls of this function are
 * marked as pure, so that a bundle leaves out the services, with their classes, that its function does not use.
 */
export const service = <T, const Listed extends PermissionsByMethod<T>>(
  create: () => T,
  permissions: Listed,
): ServiceByMethod<T, Listed> => {
  const get = once(create);
  return {
    get,
    for: (...methods) => ({
      get,
      permissions: [...new Set(methods.flatMap((name) => permissions[name] as readonly Permission[]))],
    }),
  };
};

/** Declares a service that is used as a whole. */
export const wholeService = <T>(create: () => T, permissions: readonly Permission[] = []): Service<T> => ({
  get: once(create),
  permissions,
});

const once = <T>(create: () => T) => {
  let created: { value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
};

/** The services of a handler, from those that its endpoint or job names. */
export type ServicesOf<S> = { [Name in keyof S]: S[Name] extends Service<infer T> ? T : never };

/** Returns services that are created when they are first read, so that a handler which never uses one never creates its client. */
export const lazyServices = <S extends Record<string, Service<unknown>>>(services: S): ServicesOf<S> => {
  const lazy = {};
  for (const [name, one] of Object.entries(services)) {
    Object.defineProperty(lazy, name, { get: () => one.get(), enumerable: true });
  }
  return lazy as ServicesOf<S>;
};

/** Returns the permissions of several services together, sorted. */
export const permissionsOfServices = (services: Record<string, Service<unknown>>): Permission[] =>
  [...new Set(Object.values(services).flatMap(({ permissions }) => permissions))].sort();
