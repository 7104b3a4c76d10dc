-- What lockside's guards send to MariaDB. Parameters are written as :name.

-- Row: two columns of the table that is guarded.
ALTER TABLE `accounts` ADD COLUMN `fence` bigint NOT NULL DEFAULT 0;
ALTER TABLE `accounts` ADD COLUMN `cluster` varbinary(16) NOT NULL DEFAULT '';

-- Table: the fence table.
CREATE TABLE `fences` (
	`name` varbinary(512) NOT NULL PRIMARY KEY,
	`fence` bigint NOT NULL DEFAULT 0,
	`cluster` varbinary(16) NOT NULL DEFAULT ''
) ENGINE=InnoDB;

-- Trigger: what all triggers of the fence table share.
CREATE PROCEDURE `fences_check`(IN fence_name varbinary(512))
BEGIN
	DECLARE token bigint DEFAULT if(@lockside_fence REGEXP '^[1-9][0-9]*$', CAST(@lockside_fence AS SIGNED), 0);
	DECLARE origin varbinary(16) DEFAULT coalesce(@lockside_cluster, '');
	DECLARE seen bigint;
	DECLARE seen_origin varbinary(16);
	DECLARE refusal varchar(128);
	IF token <= 0 THEN
		SIGNAL SQLSTATE 'LF000' SET MESSAGE_TEXT = 'lockside LF000: the session has told no fencing token';
	END IF;
	SELECT f.`fence`, f.`cluster` INTO seen, seen_origin FROM `fences` AS f WHERE f.`name` = fence_name FOR UPDATE;
	IF seen IS NULL THEN
		SIGNAL SQLSTATE 'LF002' SET MESSAGE_TEXT = 'lockside LF002: the fence table has no row for the trigger';
	END IF;
	IF seen > token OR seen_origin <> origin AND (seen > 0 OR seen_origin <> '') THEN
		SET refusal = concat('lockside LF001: the greatest fencing token seen is ', seen, if(seen_origin = '', '', concat('@', seen_origin)));
		SIGNAL SQLSTATE 'LF001' SET MESSAGE_TEXT = refusal;
	END IF;
	IF seen < token THEN
		UPDATE `fences` AS f SET f.`fence` = token, f.`cluster` = origin WHERE f.`name` = fence_name;
	END IF;
END;

-- Trigger: the triggers of a table that is guarded.
INSERT INTO `fences` (`name`) VALUES ('nightly') ON DUPLICATE KEY UPDATE `name` = `name`;
CREATE TRIGGER `accounts_fence_insert` BEFORE INSERT ON `accounts` FOR EACH ROW
CALL `fences_check`('nightly');
CREATE TRIGGER `accounts_fence_update` BEFORE UPDATE ON `accounts` FOR EACH ROW
CALL `fences_check`('nightly');
CREATE TRIGGER `accounts_fence_delete` BEFORE DELETE ON `accounts` FOR EACH ROW
CALL `fences_check`('nightly');

-- Trigger: first in a transaction, tell the token.
SET @lockside_fence = :fence, @lockside_cluster = :cluster;

-- Trigger: and take it back.
SET @lockside_fence = NULL, @lockside_cluster = NULL;

-- Row: lock the row, and compare.
SELECT `fence`, `cluster` FROM `accounts` WHERE `id` = :id FOR UPDATE;

-- Row: and write, if the token is no lower, or both columns are empty; for a claim without the write.
UPDATE `accounts` SET balance = :balance
, `fence` = :fence, `cluster` = :cluster WHERE `id` = :id;

-- Table: once for each fence, in a transaction of its own.
INSERT INTO `fences` (`name`) VALUES (:name) ON DUPLICATE KEY UPDATE `name` = `name`;

-- Table: first in each transaction, lock the row, and compare.
SELECT `fence`, `cluster` FROM `fences` WHERE `name` = :name FOR UPDATE;

-- Table: and raise the watermark, if the token is no lower, or both columns are empty.
UPDATE `fences` SET `fence` = :fence, `cluster` = :cluster WHERE `name` = :name;
