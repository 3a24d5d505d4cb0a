// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AssetRegistry} from "../../contracts/AssetRegistry.sol";
import {IAssetRegistry} from "../../contracts/interfaces/IAssetRegistry.sol";
import {Vm, vm} from "./Vm.sol";

/// @title LinkHandler
/// @notice Lets three people link and revoke among six assets at random, and rebuilds the links from nothing but
/// the events, as an index does.
contract LinkHandler {
    /// @notice A link as the events tell it.
    struct Replayed {
        bool stands;
        uint256 addedOn;
        uint256 revokedOn;
    }

    uint256 public constant ASSETS = 6;
    uint256 private constant _PEOPLE = 3;

    AssetRegistry public immutable REGISTRY = new AssetRegistry();

    bytes32[] public ids;
    /// @notice Calls that the registry answered otherwise than the written rules say.
    uint256 public surprises;
    uint256 public added;
    uint256 public revoked;
    mapping(bytes32 parent => mapping(bytes32 child => Replayed)) private _replayed;

    constructor() {
        vm.warp(1_700_000_000);
        for (uint256 i = 0; i < ASSETS; ++i) {
            IAssetRegistry.AssetDetails memory details;
            details.name = "Document";
            vm.prank(author(i));
            ids.push(REGISTRY.createAsset(bytes32(i), details));
        }
        vm.recordLogs();
    }

    /// @notice Somebody links something to something, often wrongly.
    function link(uint256 person, uint256 from, uint256 to) external {
        (address caller, uint256 parent, uint256 child) = _pick(person, from, to);
        bool allowed =
            caller == author(parent) && parent != child && !_replayed[ids[parent]][ids[child]].stands;
        vm.prank(caller);
        try REGISTRY.link(ids[parent], _one(ids[child])) {
            _replay();
            if (!allowed) ++surprises;
        } catch {
            if (allowed) ++surprises;
        }
    }

    /// @notice Somebody revokes something, often wrongly.
    function revoke(uint256 person, uint256 from, uint256 to) external {
        (address caller, uint256 parent, uint256 child) = _pick(person, from, to);
        bool allowed = caller == author(parent) && _replayed[ids[parent]][ids[child]].stands;
        vm.prank(caller);
        try REGISTRY.revokeLinks(ids[parent], _one(ids[child])) {
            _replay();
            if (!allowed) ++surprises;
        } catch {
            if (allowed) ++surprises;
        }
    }

    /// @notice The author of the asset with this number.
    function author(uint256 index) public pure returns (address) {
        return _person(index % _PEOPLE);
    }

    /// @notice The link that the events tell of.
    function replayed(uint256 parent, uint256 child) external view returns (Replayed memory) {
        return _replayed[ids[parent]][ids[child]];
    }

    // Each call is a minute after the one before, so that times can be told apart.
    function _pick(
        uint256 person,
        uint256 from,
        uint256 to
    ) private returns (address caller, uint256 parent, uint256 child) {
        vm.warp(block.timestamp + 60);
        parent = from % ASSETS;
        child = to % ASSETS;
        // The author in half of the calls, else anybody: both outcomes are common.
        caller = person % 2 == 0 ? author(parent) : _person((person / 2) % _PEOPLE);
    }

    function _replay() private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            Replayed storage entry = _replayed[logs[i].topics[1]][logs[i].topics[2]];
            if (logs[i].topics[0] == IAssetRegistry.LinkAdded.selector) {
                (entry.stands, entry.addedOn, entry.revokedOn) = (true, block.timestamp, 0);
                ++added;
            } else if (logs[i].topics[0] == IAssetRegistry.LinkRevoked.selector) {
                (entry.stands, entry.revokedOn) = (false, block.timestamp);
                ++revoked;
            } else {
                ++surprises;
            }
        }
    }

    function _person(uint256 number) private pure returns (address) {
        return address(uint160(0xA11CE + number));
    }

    function _one(bytes32 id) private pure returns (bytes32[] memory list) {
        list = new bytes32[](1);
        list[0] = id;
    }
}
