-- One step of a resource behind a fence: compare, remember, write.
--
-- KEYS  the watermark's key, then every key that the commands touch
-- ARGV  claim, write or once; the fence; the cluster, or an empty word; and then for
--       each command the number of its words, and the words
--
-- It returns an array, of which the first element says what came of it:
--
--   ok       it is done
--   stale    refused: the second element is the greater fence that has been seen
--   spent    refused: this fence has been seen, and is for one write
--   cluster  refused: fences of another cluster have been seen. The second element
--            is the greatest of them, the third is their cluster
--   token    refused: this is no fence
--
-- An error is a command's own. It does not undo the commands before it.

local mark, verb, fence, cluster = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

-- Fences are compared as text, the longer one being the greater: Lua's numbers are
-- floating point and lose count beyond 2^53.
local function greater(a, b)
	if #a ~= #b then
		return #a > #b
	end
	return a > b
end

local function isFence(text)
	return string.find(text, '^[1-9]%d*$') and not greater(text, '9223372036854775807')
end

-- Commands are taken apart before anything is written.
local function commands()
	local all, at = {}, 4
	while at <= #ARGV do
		local words = tonumber(ARGV[at])
		if not words or words % 1 ~= 0 or words < 1 or at + words > #ARGV then
			return nil
		end
		all[#all + 1] = {unpack(ARGV, at + 1, at + words)}
		at = at + words + 1
	end
	return all
end

local todo = commands()
if not todo or not cluster or (verb == 'claim') ~= (#todo == 0) or (verb ~= 'claim' and verb ~= 'write' and verb ~= 'once') then
	return redis.error_reply('ERR fence.lua: want claim, or write or once with commands')
end
if not isFence(fence) then
	return {'token'}
end

local seen = redis.call('HMGET', mark, 'fence', 'cluster')
local highest, home = seen[1], seen[2] or ''
if highest then
	if not isFence(highest) and highest ~= '0' then -- 0 is set by hand, with a new cluster
		return redis.error_reply('ERR fence.lua: ' .. mark .. ' is no watermark')
	elseif cluster ~= home then
		return {'cluster', highest, home}
	elseif greater(highest, fence) then
		return {'stale', highest}
	elseif verb == 'once' and highest == fence then
		return {'spent'}
	end
end

redis.call('HSET', mark, 'fence', fence, 'cluster', cluster)
for _, command in ipairs(todo) do
	redis.call(unpack(command))
end
return {'ok'}
