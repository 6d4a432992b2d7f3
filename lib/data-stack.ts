import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { type CfnQueuePolicy, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { importsFolder } from '../functions/domain/block-list-imports.ts';
import { exportsFolder } from '../functions/domain/exports.ts';
import { lakeFolder, queryResultsFolder } from '../functions/domain/lake.ts';
import { abandonedFolder, parkedFolder } from '../functions/domain/parked-changes.ts';
import { giveUp } from '../functions/jobs/give-up.ts';
import { type AnyQueueJob, jobDeliveries } from '../functions/jobs/job.ts';
import { listClockJobs, queueJobs } from '../functions/jobs.ts';
import type { SecretName } from '../functions/service.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { deploymentName, type Settings } from './settings.ts';

/** The properties that all queues have. Messages of a job that is switched off wait for as long as dead letters. */
export const queueDefaults = {
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  retentionPeriod: Duration.days(14),
};

const bucketDefaults = {
  encryption: BucketEncryption.S3_MANAGED,
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  enforceSSL: true,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
};

/** Everything with state: the table, the files, the queues, the secrets. */
export class DataStack extends NamedNestedStack {
  readonly table: Table;
  readonly files: Bucket;
  readonly logs: Bucket;
  /** Messages of jobs that failed five times and that nobody waits for, and the names of files with changes that Lambda gave up. */
  readonly deadLetters: Queue;
  readonly #queues = new Map<string, Queue>();
  /** The URL of any job's queue, with `{job}` in place of the job's name. */
  readonly queueUrl: string;
  readonly secrets: Record<SecretName, CfnSecret>;
  /** The secrets by which functions recognize CloudFront, the current one first; none without the edge. */
  readonly edgeSecrets: CfnSecret[];
  /** Marks the requests of the service to itself where there is no secret of CloudFront. */
  readonly callerMarkSecret: CfnSecret | undefined;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const isProduction = settings.stage === 'prod';
    const removalPolicy = isProduction ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      maxReadRequestUnits: settings.maxReadUnits === 'none' ? undefined : settings.maxReadUnits,
      maxWriteRequestUnits: settings.maxWriteUnits === 'none' ? undefined : settings.maxWriteUnits,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'ttlSeconds',
      // The outbox of webhooks.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      deletionProtection: isProduction,
      removalPolicy,
    });

    const { account, urlSuffix, region } = Stack.of(this);
    // Jobs share one dead-letter queue, because a redrive returns each message to its source queue. Dead letters of work that
    // somebody waits for first go to the job that reports the failure.
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...queueDefaults,
      queueName: `${deploymentName(settings)}-dead-letters`,
    });
    suppress(this.deadLetters, 'deadLetters');
    const abandoned = this.#addQueue(giveUp, this.deadLetters, settings);
    for (const job of queueJobs) {
      if (job.name !== giveUp.name) this.#addQueue(job, job.isAwaited ? abandoned : this.deadLetters, settings);
    }
    this.queueUrl = `https://sqs.${region}.${urlSuffix}/${account}/${deploymentName(settings)}-{job}`;

    this.logs = new Bucket(this, 'AccessLogs', {
      ...bucketDefaults,
      lifecycleRules: [{ expiration: Duration.days(30) }],
      removalPolicy,
    });
    this.files = new Bucket(this, 'Files', {
      ...bucketDefaults,
      serverAccessLogsBucket: this.logs,
      serverAccessLogsPrefix: 'files/',
      // A restore of the table brings back the files of documents that were deleted since.
      versioned: true,
      lifecycleRules: [
        {
          abortIncompleteMultipartUploadAfter: Duration.days(1),
          // As long as the table has backups.
          noncurrentVersionExpiration: Duration.days(35),
          expiredObjectDeleteMarker: true,
        },
        // No other folder is restored, and what was erased must be gone.
        ...[importsFolder, exportsFolder, lakeFolder, queryResultsFolder, parkedFolder, abandonedFolder].map(
          (prefix) => ({
            prefix,
            noncurrentVersionExpiration: Duration.days(1),
          }),
        ),
        // An import deletes its file when it ends. This rule deletes files whose message was lost.
        { prefix: importsFolder, expiration: Duration.days(7) },
        // The job of an export deletes its files after a day. This rule deletes files whose message was lost.
        { prefix: exportsFolder, expiration: Duration.days(2) },
        { prefix: queryResultsFolder, expiration: Duration.days(7) },
        // A retry renews the file of a parked change daily. This rule deletes files of changes that were never parked.
        { prefix: parkedFolder, expiration: Duration.days(14) },
        // Like the dead letter that names it.
        { prefix: abandonedFolder, expiration: Duration.days(14) },
      ],
      cors: [
        {
          allowedOrigins: [...settings.appOrigins, ...consoleOrigins(settings)],
          allowedMethods: [HttpMethods.GET, HttpMethods.POST],
          allowedHeaders: ['content-type'],
          maxAge: 600,
        },
      ],
      removalPolicy,
    });
    this.#startJobsByFiles();
    this.#startJobsByClock(settings);

    const generate = (id: string, description: string, passwordLength = 64) =>
      new CfnSecret(this, id, { description, generateSecretString: { passwordLength, excludePunctuation: true } });
    this.secrets = {
      // Created empty: the operator sets it, so that no template and no environment contains it.
      stripe: new CfnSecret(this, 'StripeSecret', { description: 'The secret key of the Stripe account.' }),
      chatSigning: generate('ChatSigningSecret', 'Signs the tool results and approvals of the build chat.'),
      erasure: generate(
        'ErasureSecret',
        'Keys the hashes of erased phone numbers and of requests with an Idempotency-Key.',
      ),
      webhookEncryption: generate(
        'WebhookEncryptionKey',
        'Encrypts the secrets of webhook endpoints and of voice platforms in the table.',
      ),
    };
    // Retained data depend on these secrets: sealed webhook secrets, and the hashes by which a restore repeats erasures.
    for (const secret of Object.values(this.secrets)) secret.applyRemovalPolicy(removalPolicy);
    // CloudFront takes minutes to change a header everywhere. Until then, functions also accept the former secret.
    const versions = settings.edge ? [settings.edgeSecretVersion, settings.edgeSecretVersion - 1] : [];
    this.edgeSecrets = versions
      .filter((version) => version > 0)
      .map((version) => generate(`EdgeSecret${version}`, edgeSecretUse, 43));
    this.callerMarkSecret = settings.edge ? undefined : generate('CallerMarkSecret', callerMarkUse, 43);
    suppress(this, 'rotation');
  }

  #addQueue(job: AnyQueueJob, deadLetters: Queue, settings: Settings): Queue {
    const queue = new Queue(this, `Queue-${job.name}`, {
      ...queueDefaults,
      queueName: `${deploymentName(settings)}-${job.name}`,
      // AWS recommends this value, so that throttling produces no dead letters. A failed job shortens it for its message.
      visibilityTimeout: Duration.seconds(6 * job.timeoutSeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: jobDeliveries(job) },
    });
    this.#queues.set(job.name, queue);
    return queue;
  }

  /** Returns the queue of a job, by the job's name. */
  getQueue(job: string): Queue {
    const queue = this.#queues.get(job);
    if (!queue) throw new Error(`There is no job ${job} in functions/jobs.ts.`);
    return queue;
  }

  /** Lets EventBridge send messages to the jobs that the clock starts: see the rules in `JobsStack`. */
  #startJobsByClock({ callRetentionDays }: Settings) {
    for (const { name } of listClockJobs(callRetentionDays))
      this.#allowSending('events.amazonaws.com', this.getQueue(name));
  }

  /** Lets a service of AWS send messages to a queue, on behalf of this account alone. */
  #allowSending(service: string, queue: Queue) {
    queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(service)],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
  }

  /**
   * Sets the property of the bucket with which S3 sends a message for each new file. CDK's own method adds a custom resource. The
   * queue policies must exist first, and therefore cannot name the bucket.
   */
  #startJobsByFiles() {
    const started = queueJobs.flatMap(({ name, startedByFilesUnder: folder }) =>
      folder === undefined ? [] : [{ folder, queue: this.getQueue(name) }],
    );
    const bucket = this.files.node.defaultChild as CfnBucket;
    // A batch of changes that Lambda has given up is a dead letter, which names its file.
    const notified = [...started, { folder: abandonedFolder, queue: this.deadLetters }];
    bucket.notificationConfiguration = {
      queueConfigurations: notified.map(({ folder, queue }) => ({
        event: 's3:ObjectCreated:*',
        filter: { s3Key: { rules: [{ name: 'prefix', value: folder }] } },
        queue: queue.queueArn,
      })),
    };
    for (const { queue } of notified) {
      this.#allowSending('s3.amazonaws.com', queue);
      bucket.addResourceDependency(queue.node.findChild('Policy').node.defaultChild as CfnQueuePolicy);
    }
  }
}

const edgeSecretUse = 'Sent by CloudFront to the API and the chat, which refuse requests without it.';
const callerMarkUse =
  'Marks the requests that the build chat and the server of AI clients send with the key of a caller.';

/** Returns a reference to a secret's value, which CloudFormation resolves while it deploys: no template contains the value. */
export const secretReference = (secret: CfnSecret) => `{{resolve:secretsmanager:${secret.attrId}:SecretString}}`;

/** Returns the origins of the console, which uploads files: the domain, or any address of CloudFront. Upload forms are secrets themselves. */
const consoleOrigins = ({ edge, domain }: Settings): string[] =>
  edge ? [domain ? `https://${domain.name}` : 'https://*.cloudfront.net'] : [];
