-- What lockside's guards send to SQLite. Parameters are written as :name.

-- Row: two columns of the table that is guarded.
ALTER TABLE "accounts" ADD COLUMN "fence" bigint NOT NULL DEFAULT 0;
ALTER TABLE "accounts" ADD COLUMN "cluster" text NOT NULL DEFAULT '';

-- Table: the fence table.
CREATE TABLE "fences" (
	"name" text NOT NULL PRIMARY KEY,
	"fence" bigint NOT NULL DEFAULT 0,
	"cluster" text NOT NULL DEFAULT ''
);

-- Trigger: what all triggers of the fence table share.
CREATE TABLE "fences_session" (
	one integer PRIMARY KEY DEFAULT 1 CHECK (one = 1),
	fence integer NOT NULL CHECK (typeof(fence) = 'integer' AND fence > 0),
	cluster text NOT NULL DEFAULT ''
);

-- Trigger: the triggers of a table that is guarded.
INSERT INTO "fences" ("name") VALUES ('nightly') ON CONFLICT DO NOTHING;
CREATE TRIGGER "accounts_fence_insert" BEFORE INSERT ON "accounts" FOR EACH ROW
BEGIN
	SELECT RAISE(ABORT, 'lockside LF000: the session has told no fencing token') WHERE NOT EXISTS (SELECT 1 FROM "fences_session");
	SELECT RAISE(ABORT, 'lockside LF002: the fence table has no row for the trigger') WHERE NOT EXISTS (SELECT 1 FROM "fences" WHERE "name" = 'nightly');
	SELECT RAISE(ABORT, 'lockside LF003: the fencing token is of another etcd cluster') FROM "fences" AS f, "fences_session" AS t
		WHERE f."name" = 'nightly' AND f."cluster" <> t.cluster AND (f."fence" > 0 OR f."cluster" <> '');
	SELECT RAISE(ABORT, 'lockside LF001: the fencing token is stale') FROM "fences" AS f, "fences_session" AS t
		WHERE f."name" = 'nightly' AND f."fence" > t.fence;
	UPDATE "fences" SET "fence" = (SELECT fence FROM "fences_session"), "cluster" = (SELECT cluster FROM "fences_session")
		WHERE "name" = 'nightly' AND "fence" < (SELECT fence FROM "fences_session");
END;
CREATE TRIGGER "accounts_fence_update" BEFORE UPDATE ON "accounts" FOR EACH ROW
BEGIN
	SELECT RAISE(ABORT, 'lockside LF000: the session has told no fencing token') WHERE NOT EXISTS (SELECT 1 FROM "fences_session");
	SELECT RAISE(ABORT, 'lockside LF002: the fence table has no row for the trigger') WHERE NOT EXISTS (SELECT 1 FROM "fences" WHERE "name" = 'nightly');
	SELECT RAISE(ABORT, 'lockside LF003: the fencing token is of another etcd cluster') FROM "fences" AS f, "fences_session" AS t
		WHERE f."name" = 'nightly' AND f."cluster" <> t.cluster AND (f."fence" > 0 OR f."cluster" <> '');
	SELECT RAISE(ABORT, 'lockside LF001: the fencing token is stale') FROM "fences" AS f, "fences_session" AS t
		WHERE f."name" = 'nightly' AND f."fence" > t.fence;
	UPDATE "fences" SET "fence" = (SELECT fence FROM "fences_session"), "cluster" = (SELECT cluster FROM "fences_session")
		WHERE "name" = 'nightly' AND "fence" < (SELECT fence FROM "fences_session");
END;
CREATE TRIGGER "accounts_fence_delete" BEFORE DELETE ON "accounts" FOR EACH ROW
BEGIN
	SELECT RAISE(ABORT, 'lockside LF000: the session has told no fencing token') WHERE NOT EXISTS (SELECT 1 FROM "fences_session");
	SELECT RAISE(ABORT, 'lockside LF002: the fence table has no row for the trigger') WHERE NOT EXISTS (SELECT 1 FROM "fences" WHERE "name" = 'nightly');
	SELECT RAISE(ABORT, 'lockside LF003: the fencing token is of another etcd cluster') FROM "fences" AS f, "fences_session" AS t
		WHERE f."name" = 'nightly' AND f."cluster" <> t.cluster AND (f."fence" > 0 OR f."cluster" <> '');
	SELECT RAISE(ABORT, 'lockside LF001: the fencing token is stale') FROM "fences" AS f, "fences_session" AS t
		WHERE f."name" = 'nightly' AND f."fence" > t.fence;
	UPDATE "fences" SET "fence" = (SELECT fence FROM "fences_session"), "cluster" = (SELECT cluster FROM "fences_session")
		WHERE "name" = 'nightly' AND "fence" < (SELECT fence FROM "fences_session");
END;

-- Trigger: first in a transaction, tell the token.
INSERT INTO "fences_session" (fence, cluster) VALUES (CAST(:fence AS INTEGER), :cluster);

-- Trigger: and take it back.
DELETE FROM "fences_session";

-- Row: write; for a claim without the write. 1 row was admitted.
UPDATE "accounts" SET balance = :balance
, "fence" = :fence, "cluster" = :cluster WHERE "id" = :id AND (coalesce("fence", 0) <= :fence AND coalesce("cluster", '') = :cluster OR coalesce("fence", 0) = 0 AND coalesce("cluster", '') = '');

-- Row: once a grant.
UPDATE "accounts" SET balance = :balance
, "fence" = :fence, "cluster" = :cluster WHERE "id" = :id AND (coalesce("fence", 0) < :fence AND coalesce("cluster", '') = :cluster OR coalesce("fence", 0) = 0 AND coalesce("cluster", '') = '');

-- Row: 0 rows, as the token was not admitted, or there is no such row: look.
SELECT "fence", "cluster" FROM "accounts" WHERE "id" = :id;

-- Table: first in each transaction. 1 row was admitted.
INSERT INTO "fences" AS f ("name", "fence", "cluster") VALUES (:name, :fence, :cluster) ON CONFLICT ("name") DO UPDATE SET "fence" = excluded."fence", "cluster" = excluded."cluster" WHERE (f."fence" <= excluded."fence" AND f."cluster" = excluded."cluster" OR f."fence" = 0 AND f."cluster" = '');

-- Table: once a grant.
INSERT INTO "fences" AS f ("name", "fence", "cluster") VALUES (:name, :fence, :cluster) ON CONFLICT ("name") DO UPDATE SET "fence" = excluded."fence", "cluster" = excluded."cluster" WHERE (f."fence" < excluded."fence" AND f."cluster" = excluded."cluster" OR f."fence" = 0 AND f."cluster" = '');

-- Table: 0 rows, as the token was not admitted, or there is no such row: look.
SELECT "fence", "cluster" FROM "fences" WHERE "name" = :name;
